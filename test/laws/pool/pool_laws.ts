import { Effect, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import {
  type Authorization,
  isExpired,
  type PoolTransaction,
  type PostedTransaction
} from "../../../core/domain/mod.ts"
import type { TransactionId } from "../../../core/encoding/mod.ts"
import { holds, type Law, onlyViolations, same } from "../law.ts"
import { naiveGroupStates } from "./_naive_groups.ts"
import { naiveSelection } from "./_naive_selection.ts"
import { ownerOf } from "./pool_network.ts"
import { SeededRandom } from "../_seeded_random.ts"
import { brokenStep, requestOf } from "./_pool_rows.ts"
import {
  accountsOf,
  batchOfSelection,
  foreignBatchOf,
  lastBatchOf,
  addInternalAccounts,
  openWorld,
  pooledOf,
  postedGroupOf,
  postedOf,
  type World
} from "./_pool_world.ts"
import { listAgrees } from "./_pool_list.ts"
import { interleaved, yields } from "./_pool_interleaving.ts"
import { ownerLaws } from "./owner_laws.ts"
import type { OpenPool, PoolSubject } from "./pool_subject.ts"
import { stallLaws } from "./stall_laws.ts"

type Step = (world: World) => Effect.Effect<void, Error>

const STEPS = 30
/** Fewer, because each step runs several operations at the same time. */
const INTERLEAVED_STEPS = 10

/** Returns a law that runs random steps on a node and checks it after each. */
const simulated = (
  name: string,
  check: Step,
  steps: ReadonlyArray<readonly [weight: number, step: Step]>,
  prepare: (stores: OpenPool, random: SeededRandom) => OpenPool = (stores) => stores
): Law<PoolSubject> => ({
  name,
  run: (subject) =>
    Effect.forEach(
      Array.from({ length: subject.runs }, (_, run) => `${subject.seed}.${run}`),
      (each) =>
        Effect.gen(function*() {
          const random = new SeededRandom(each)
          const world = yield* openWorld({
            ...subject,
            open: Effect.map(subject.open, (stores) => prepare(stores, random))
          }, random)
          yield* addInternalAccounts(world)
          const weighted = steps.flatMap(([weight, step]) =>
            Array.from({ length: weight }, () => step)
          )
          for (
            let step = prepare === interleaved ? STEPS - INTERLEAVED_STEPS : 0;
            step < STEPS;
            step++
          ) {
            yield* TestClock.adjust(1 + world.random.below(20_000))
            yield* world.random.of(weighted)(world)
            yield* check(world)
          }
        }).pipe(
          Effect.scoped,
          onlyViolations,
          Effect.provide(TestClock.layer()),
          Effect.mapError((violation) =>
            Object.assign(violation, { message: `${violation.message} (case ${each})` })
          )
        ),
      { discard: true }
    )
})

const submitSome: Step = Effect.fnUntraced(function*(world: World) {
  const accounts = yield* accountsOf(world)
  const last = yield* lastBatchOf(world)
  const others = (yield* pooledOf(world)).map(({ transaction }) => transaction)
  const posted: Array<PostedTransaction> = []
  for (let left = 1 + world.random.below(6); left > 0; left--) {
    const transaction = postedOf(world, accounts, last)
    const isLinked = others.length + posted.length > 0 && world.random.chance(0.3)
    const request = isLinked ? requestOf(world.random.of([...posted, ...others])) : null
    posted.push({ ...transaction, request })
  }
  yield* Effect.forEach(
    posted,
    (transaction) =>
      Effect.matchEffect(world.submission.submitTransaction(transaction), {
        onSuccess: ({ id }) => Effect.sync(() => world.acknowledged.add(id)),
        onFailure: (failure) => failure._tag === "StoreFailure" ? Effect.die(failure) : Effect.void
      }),
    { concurrency: "unbounded" }
  )
})

const submitGroup: Step = Effect.fnUntraced(function*(world: World) {
  const group = postedGroupOf(world, yield* accountsOf(world), yield* lastBatchOf(world))
  yield* Effect.matchEffect(world.submission.submitGroup(group), {
    onSuccess: ({ ids }) =>
      Effect.sync(() => {
        for (const id of ids) world.acknowledged.add(id)
        world.groups.set(group.id, ids)
      }),
    onFailure: (failure) => failure._tag === "StoreFailure" ? Effect.die(failure) : Effect.void
  })
})

const replaceSome: Step = Effect.fnUntraced(function*(world: World) {
  const accounts = yield* accountsOf(world)
  const last = yield* lastBatchOf(world)
  for (const { transaction } of world.random.some(yield* pooledOf(world), 0.1)) {
    const other = postedOf(world, accounts, last, transaction)
    const posted = world.random.chance(0.5) ? other : correctedOf(world, transaction, other)
    yield* Effect.matchEffect(world.submission.replaceTransaction(transaction.id, posted), {
      onSuccess: ({ id }) => Effect.sync(() => world.acknowledged.add(id)),
      onFailure: (failure) => failure._tag === "StoreFailure" ? Effect.die(failure) : Effect.void
    })
  }
})

/** Returns a transaction with its id, and with the destination and the last batch of another one. */
const correctedOf = (
  { random }: World,
  { amount, fee, fromAccountIndex, id, nonce, tokenId }: PoolTransaction,
  other: PostedTransaction
): PostedTransaction => ({
  ...other,
  id,
  tokenId,
  fromAccountIndex,
  amount,
  fee,
  nonce,
  signature: String(random.below(1_000_000)).padStart(128, "0")
})

const authorize: Step = ({ random, submission }) => {
  const { address, publicKey, signature } = ownerOf(random.below(10))
  return Effect.asVoid(submission.submitAuthorization({ address, publicKey, signature }))
}

/**
 * Selects and forges a batch; sometimes the coordinator fails, and sometimes it stops before the
 * end.
 */
const forge: Step = Effect.fnUntraced(function*(world: World) {
  const { chain, random, ledger, pool } = world
  const maxTransactions = 1 + random.below(8)
  const maxNewAccounts = random.below(4)
  const accounts = yield* accountsOf(world)
  const expected = naiveSelection({
    pending: (yield* pooledOf(world)).filter(({ transaction }) => transaction.state === "pend"),
    accounts,
    tokens: (yield* world.reader.list("tokens", { filters: {} })).items,
    authorizations: yield* authorizationsOf(world),
    batchNum: (yield* lastBatchOf(world)) + 1,
    maxTransactions,
    maxNewAccounts
  })
  const selection = yield* pool.select({ maxTransactions, maxNewAccounts })
  const ids = selection.transactions.map(({ transaction }) => transaction.id)
  yield* same(ids, expected, () => "The selection")
  for (const { id } of selection.skippedTransactions) {
    const state = (yield* pool.transaction(id))?.state
    const note = yield* pool.skippedTransaction(id)
    yield* holds(
      state !== "pend" || note !== null,
      () => `${id} was skipped without a recorded reason`
    )
  }
  yield* same(yield* pool.startForging(ids, selection.batchNum), ids, () => "Started")
  const outcome = random.below(10)
  if (outcome === 0) return
  if (outcome === 1) {
    return yield* Effect.asVoid(pool.rollBack(selection.batchNum - 1))
  }
  if (outcome < 6) {
    yield* same(yield* pool.doneForging(ids, selection.batchNum), ids, () => "Done")
  }
  if (outcome === 2) return
  yield* ledger.applyBlock(chain.grow({ batches: [batchOfSelection(selection, accounts)] }))
})

const foreign: Step = (world) =>
  Effect.flatMap(
    foreignBatchOf(world),
    (batch) => Effect.asVoid(world.ledger.applyBlock(world.chain.grow({ batches: [batch] })))
  )

const rollBack: Step = ({ chain, random, ledger }) =>
  Effect.suspend(() =>
    Effect.asVoid(ledger.rollBack(chain.cut(depth(chain.blocks.length, random)).toBlock))
  )

/** Applies a batch of another coordinator, or rolls back, without reconciling the pool. */
const writeBareLedger: Step = Effect.fnUntraced(function*(world: World) {
  const { bareLedger, chain, random } = world
  if (random.chance(0.4)) {
    yield* bareLedger.rollBack(chain.cut(depth(chain.blocks.length, random)).toBlock)
  } else {
    const batch = yield* foreignBatchOf(world)
    yield* bareLedger.applyBlock(chain.grow({ batches: [batch] }))
  }
})

/**
 * Changes the ledger without the pool, as if the process had been killed; then reconciles the pool, as
 * the next process does.
 */
const crash: Step = Effect.fnUntraced(function*(world: World) {
  const { random, pool } = world
  for (let left = random.below(3); left >= 0; left--) yield* writeBareLedger(world)
  if (random.chance(0.3)) yield* submitSome(world)
  if (random.chance(0.3)) yield* submitGroup(world)
  yield* pool.reconcile
})

const removeSome: Step = Effect.fnUntraced(function*(world: World) {
  const { random, pool } = world
  const some = random.some([...world.acknowledged], 0.1)
  const last = yield* lastBatchOf(world)
  switch (random.below(3)) {
    case 0:
      return yield* Effect.asVoid(pool.purge({
        ttlMs: random.of([50_000, 1_000_000]),
        currentBatch: last,
        safetyPeriodBatches: random.below(6),
        capacity: random.of([10, 1000])
      }))
    case 1:
      return yield* Effect.asVoid(pool.remove(some, "An operator said so"))
    default: {
      const which = some.map((id) => ({ id, reason: "The host said so" }))
      for (const id of yield* pool.invalidate(which, last + random.below(2))) {
        world.invalidated.add(id)
      }
    }
  }
})

/** Rolls blocks back and applies the same blocks again. */
const reapplyBlocks: Step = Effect.fnUntraced(function*(world: World) {
  const { chain, random, ledger, pool } = world
  // batches in progress do not depend on blocks
  yield* pool.rollBack(yield* lastBatchOf(world))
  const before = yield* answersOf(world)
  const { dropped, toBlock } = chain.cut(depth(chain.blocks.length, random))
  yield* ledger.rollBack(toBlock)
  for (const block of dropped) yield* ledger.applyBlock(block)
  chain.restore(dropped)
  yield* same(yield* answersOf(world), before, () => "Answers after the same blocks again")
})

const noCheck: Step = () => Effect.void

const wait: Step = () => TestClock.adjust(60_000)

const allSteps: ReadonlyArray<readonly [number, Step]> = [
  [10, submitSome],
  [4, submitGroup],
  [3, replaceSome],
  [2, authorize],
  [9, forge],
  [3, foreign],
  [3, rollBack],
  [2, crash],
  [2, removeSome],
  [2, reapplyBlocks],
  [1, wait]
]

/** Runs several operations at the same time. */
const concurrently: Step = Effect.fnUntraced(function*(world: World) {
  const { chain, random, ledger, pool } = world
  const ethereum = Semaphore.makeUnsafe(1).withPermits(1)
  const coordinator = Effect.gen(function*() {
    const { batchNum, transactions } = yield* pool.select({ maxTransactions: 6, maxNewAccounts: 0 })
    const mine = new Set(
      // several coordinators select at the same time: an id would not tell what this one selected
      yield* pool.startForging(transactions.map(({ transaction }) => transaction), batchNum)
    )
    yield* ethereum(Effect.gen(function*() {
      const accounts = yield* accountsOf(world)
      const own = transactions.filter(({ transaction }) => mine.has(transaction.id))
      const batch = batchOfSelection({
        batchNum,
        transactions: own,
        accounts: [],
        skippedTransactions: [],
        snapshotId: yield* world.reader.snapshotId
      }, accounts)
      // the ledger refuses the batch if another one came first
      yield* Effect.catchTag(
        ledger.applyBlock(chain.grow({ batches: [batch] })),
        "BlockViolation",
        () => Effect.sync(() => chain.cut(1))
      ).pipe(Effect.orDie)
    }))
    return mine
  })
  const [one, two] = yield* Effect.all([
    coordinator,
    coordinator,
    submitSome(world),
    submitSome(world),
    submitGroup(world),
    replaceSome(world),
    ethereum(foreign(world)),
    random.chance(0.5) ? ethereum(rollBack(world)) : Effect.void,
    pool.reconcile
  ], { concurrency: "unbounded" })
  if (random.chance(0.1)) yield* pool.rollBack(yield* lastBatchOf(world))
  const shared = [...one].filter((id) => two.has(id))
  for (const id of shared) {
    const steps = yield* pool.transitions(id)
    const released = steps.filter(({ from, to }) => from !== null && to === "pend").length
    yield* holds(
      released > 0,
      () => `${id} was selected for two coordinators without being released`
    )
  }
  yield* pool.reconcile
})

/** Posts transactions while the ledger changes without the pool; then reconciles the pool. */
const submitUnreconciled: Step = Effect.fnUntraced(function*(world: World) {
  const { pool, random } = world
  const writes = Effect.forEach(
    Array.from({ length: 1 + random.below(4) }),
    () => Effect.andThen(yields(random, 12), writeBareLedger(world)),
    { discard: true }
  )
  yield* Effect.all([
    writes,
    submitSome(world),
    submitSome(world),
    submitGroup(world),
    random.chance(0.3) ? pool.reconcile : Effect.void
  ], { concurrency: "unbounded" })
  yield* pool.reconcile
})

/**
 * Every acknowledged transaction is in the pool, or was removed with a recorded reason; its
 * transitions form a chain.
 */
const nothingIsLost: Step = Effect.fnUntraced(function*({ acknowledged, pool }: World) {
  for (const id of acknowledged) {
    const found = yield* pool.transaction(id)
    const steps = yield* pool.transitions(id)
    const broken = brokenStep(steps, found)
    yield* holds(broken === undefined, () => `Transaction ${id}: ${broken}`)
    const record = steps.at(-1)
    yield* holds(
      found !== null || (record?.to === null && record.reason !== ""),
      () => `${id} was removed without a recorded reason`
    )
  }
})

/** No transaction is forging or forged by this node in a batch after the last one that may. */
const lastBatchHolds = (transaction: PoolTransaction, reconciled: number) =>
  holds(
    transaction.state === "pend" || transaction.state === "invl" ||
      transaction.batchNum! <= reconciled || !isExpired(transaction, transaction.batchNum!),
    () =>
      `${transaction.id} is ${transaction.state} in batch ${transaction.batchNum}, after ${transaction.maxNumBatch}, the last one`
  )

/**
 * A transaction is forged in the pool if and only if the ledger has forged it or its batch is newer
 * than the ledger.
 */
const forgedAgrees: Step = Effect.fnUntraced(function*(world: World) {
  const { pool, reader } = world
  const last = yield* lastBatchOf(world)
  for (const id of world.acknowledged) {
    const found = yield* pool.transaction(id)
    if (found === null) continue
    const { batchNum, state } = found
    yield* lastBatchHolds(found, last)
    const forged = (yield* reader.find("transaction", id)).item?.transaction.batchNum ?? null
    if (forged !== null) {
      yield* holds(
        state === "invl" || (state === "fged" && batchNum === forged),
        () => `${id} was forged in batch ${forged}, and the pool says ${state} ${batchNum}`
      )
    } else {
      yield* holds(
        (state !== "fged" && state !== "fing") || batchNum! > last,
        () =>
          `The pool says ${id} is ${state} in batch ${batchNum}, but the ledger with ${last} batches does not have it`
      )
    }
  }
})

/**
 * The state of a transaction without a group is the one that the chain alone determines, unless it is
 * in a batch that the ledger does not have yet.
 */
const statesAgree: Step = Effect.fnUntraced(function*(world: World) {
  const { chain, invalidated } = world
  const last = yield* lastBatchOf(world)
  for (const row of yield* pooledOf(world)) {
    const { transaction } = row
    const { batchNum, group, id, state } = transaction
    const isInProgress = (state === "fing" || state === "fged") && batchNum! > last
    if (group !== undefined || invalidated.has(id) || isInProgress) continue
    const [expected] = naiveGroupStates([row], chain) ??
      [{ state: "pend" as const, batchNum: null }]
    if (expected!.state !== "pend" && isUnspecified(transaction)) continue
    yield* same({ state, batchNum }, expected, () => `The state of ${id}`)
  }
})

/** The transactions of a group are in the pool together, and pending or in progress together. */
const groupsStayTogether: Step = Effect.fnUntraced(function*({ groups, store }: World) {
  for (const [id, ids] of groups) {
    const members = (yield* store.members([id])).map((row) => row.transaction)
    if (members.length === 0) continue
    yield* same(members.map((each) => each.id), ids, () => `The transactions of group ${id}`)
    const states = members.map(({ batchNum, state }) => `${state} ${batchNum}`)
    yield* holds(
      new Set(states).size === 1 ||
        members.every(({ state }) => state === "invl" || state === "fged"),
      () => `The states of group ${id} are ${states.join(", ")}`
    )
  }
})

/** The states of each group are those that the chain alone determines. */
const groupsAgree: Step = Effect.fnUntraced(function*(world: World) {
  const { chain, groups, invalidated, store } = world
  yield* groupsStayTogether(world)
  for (const [id, ids] of groups) {
    if (ids.some((each) => invalidated.has(each))) continue
    const rows = yield* store.members([id])
    const members = rows.map((row) => row.transaction)
    const expected = naiveGroupStates(rows, chain)
    yield* same(
      members.map(({ batchNum, state }, position) =>
        expected === null
          ? { isDecided: state === "invl" }
          : isUnspecified(members[position]!)
          ? null
          : { state, batchNum }
      ),
      members.map((member, position) =>
        expected === null
          ? { isDecided: false }
          : isUnspecified(member)
          ? null
          : expected[position]!
      ),
      () => `The states of group ${id}`
    )
  }
})

/** The model does not know which account a transaction to an address or a key pays. */
const isUnspecified = ({ state, toAccountIndex }: PoolTransaction): boolean =>
  toAccountIndex === null && (state === "invl" || state === "fged")

const checkPool: Step = (world) =>
  Effect.all(
    [nothingIsLost(world), forgedAgrees(world), statesAgree(world), groupsStayTogether(world)],
    { discard: true }
  )

/**
 * The laws of a pool together with its ledger: submissions, forging, rollbacks and crashes in
 * random order. `runs` is the number of random histories of each law.
 *
 * @example
 * ```ts
 * import { poolLaws } from "rollup-node-api/testing"
 *
 * console.log(poolLaws.some(({ name }) => name.startsWith("an acknowledged transaction")))
 * // => true
 * ```
 */
export const poolLaws: ReadonlyArray<Law<PoolSubject>> = [
  simulated(
    "an acknowledged transaction is always in the pool or was removed with a recorded reason, and the pool shows it as forged if the ledger forged it, for every coordinator and every crash",
    checkPool,
    [...allSteps, [4, crash]]
  ),
  simulated(
    "a selection equals the one from comparing all transactions, and the ledger accepts it: the nonces of an account are in order",
    noCheck,
    [[5, submitSome], [3, submitGroup], [1, authorize], [5, forge], [1, foreign], [1, rollBack]]
  ),
  simulated("a rollback followed by the same blocks leads to the same answers", noCheck, [
    ...allSteps,
    [6, reapplyBlocks]
  ]),
  simulated(
    "the transactions of a group stay together: what the chain does to one of them decides for all",
    groupsAgree,
    [
      [3, submitSome],
      [6, submitGroup],
      [1, authorize],
      [6, forge],
      [3, foreign],
      [3, rollBack],
      [2, crash],
      [1, removeSome]
    ]
  ),
  simulated(
    "concurrent operations lose no transaction, select none for two coordinators, and leave each in the state that the chain determines",
    checkPool,
    [[3, submitSome], [2, submitGroup], [1, forge], [5, concurrently], [3, submitUnreconciled]],
    interleaved
  ),
  simulated(
    "a page of the list has the transactions that match the declarations of its filters, with exact counts",
    listAgrees,
    [[4, submitSome], [2, submitGroup], [1, authorize], [2, forge], [1, foreign], [1, removeSome]]
  ),
  ...ownerLaws,
  ...stallLaws
]

const depth = (blocks: number, random: SeededRandom): number =>
  Math.min(1 + random.below(4), Math.max(0, blocks - 3))

const authorizationsOf = Effect.fnUntraced(function*({ store }: World) {
  const all = yield* Effect.forEach(
    Array.from({ length: 10 }, (_, number) => ownerOf(number).address),
    (address) => store.authorization(address)
  )
  return all.filter((authorization): authorization is Authorization => authorization !== null)
})

const answersOf = Effect.fnUntraced(function*({ acknowledged, invalidated, pool }: World) {
  const answers: Record<TransactionId, string> = {}
  for (const id of acknowledged) {
    if (invalidated.has(id)) continue
    const found = yield* pool.transaction(id)
    answers[id] = found === null ? "gone" : `${found.state} ${found.batchNum}`
  }
  return answers
})
