import { Effect } from "effect"
import type { PoolChange, Pooled, PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { holds, type Law, onlyViolations, same } from "../law.ts"
import { NaivePool } from "./_naive_pool.ts"
import { yields } from "./_pool_interleaving.ts"
import { SeededRandom } from "../_seeded_random.ts"
import {
  brokenStep,
  changeOf,
  greatest,
  groupIdOf,
  idOf,
  keyOf,
  noteOf,
  ownersOf,
  poolFiltersOf,
  poolGroupOf,
  poolTransactionOf
} from "./_pool_rows.ts"
import type { PoolSubject } from "./pool_subject.ts"

type Store = PoolStore["Service"]

/** The numbers of the transactions of one case. */
const NUMBERS = Array.from({ length: 24 }, (_, number) => number)
/** The transactions that form groups; some are in two of them. */
const GROUPS = [[3, 4], [4, 5, 6], [9, 8], [14, 15, 16, 17]]
const TIME_MS = 1_000_000
const unlimited = { pendingMax: 1_000_000, pendingPerAccountMax: 1_000_000 }

/**
 * Returns a law that is checked on a new store for each of several seeds; a violation names the
 * seed.
 */
const law = (
  name: string,
  tryOn: (store: Store, random: SeededRandom) => Effect.Effect<void, Error>
): Law<PoolSubject> => ({
  name,
  run: ({ open, runs, seed }) =>
    Effect.forEach(
      Array.from({ length: runs }, (_, run) => `${seed}.${run}`),
      (each) =>
        Effect.scoped(
          Effect.flatMap(open, ({ store }) => onlyViolations(tryOn(store, new SeededRandom(each))))
        )
          .pipe(
            Effect.mapError((violation) =>
              Object.assign(violation, { message: `${violation.message} (case ${each})` })
            )
          ),
      { discard: true }
    )
})

/**
 * The laws of every `PoolStore`. Each case opens a new store.
 *
 * ```ts
 * import { Context, Effect, Layer } from "effect"
 * import { LedgerReader, LedgerWriter } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 * import { poolStoreLaws } from "rollup-node-api/testing"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const open = Effect.map(Layer.build(Layer.fresh(Memory.layer(genesis))), (services) => ({
 *   store: Memory.openMemoryPool(),
 *   reader: Context.get(services, LedgerReader),
 *   writer: Context.get(services, LedgerWriter)
 * }))
 * for (const law of poolStoreLaws) {
 *   await Effect.runPromise(law.run({ genesis, keccak256, open, seed: 1, runs: 1 }))
 * }
 * console.log(poolStoreLaws.length) // => 8
 * ```
 */
export const poolStoreLaws: ReadonlyArray<Law<PoolSubject>> = [
  law(
    "a pool answers every query as a search of all its transactions does",
    (store, random) =>
      Effect.gen(function*() {
        const naive = new NaivePool()
        for (let step = 0; step < 60; step++) {
          const atMs = TIME_MS + step * 10
          yield* write(store, naive, random, atMs)
          if (step % 6 === 0) yield* compareAnswers(store, naive, random, atMs)
        }
        yield* compareAnswers(store, naive, random, TIME_MS + 600)
        // an empty call has an empty result
        yield* store.skip([], [])
        for (const call of [store.change([], TIME_MS), store.pooled([]), store.pendingBelow([])]) {
          yield* same(yield* call as Effect.Effect<unknown>, [], () => "An empty call")
        }
      })
  ),

  law(
    "if several writers change the same transactions at the same time, each transaction is changed by exactly one",
    (store, random) =>
      Effect.gen(function*() {
        yield* fill(store, random)
        const results = yield* concurrently(
          random,
          Array.from({ length: 5 }, (_, batchNum) =>
            store.change(random.some(NUMBERS, 0.6).map(pendingTo("fing", batchNum)), TIME_MS + 1))
        )
        const won = results.flatMap((ids, batchNum) =>
          ids.map((id) => ({ id, batchNum }))
        )
        yield* holds(
          new Set(won.map(({ id }) => id)).size === won.length,
          () => "Two writers changed the same transaction"
        )
        for (const { batchNum, id } of won) {
          const found = yield* store.transaction(id)
          yield* holds(
            found?.state === "fing" && found.batchNum === batchNum,
            () =>
              `${id} was assigned to batch ${batchNum} and is ${found?.state} in ${found?.batchNum}`
          )
        }
        yield* same((yield* store.counts).fing, won.length, () => "Transactions that are forging")
      })
  ),

  law("limits hold for submissions at the same time", (store, random) =>
    Effect.gen(function*() {
      const limits = { pendingMax: 4 + random.below(12), pendingPerAccountMax: 1 + random.below(8) }
      const transactions = [...NUMBERS, ...NUMBERS].map((number) =>
        poolTransactionOf(number, new SeededRandom(number), TIME_MS)
      )
      const results = yield* concurrently(
        random,
        transactions.map((transaction) =>
          store.addTransaction(transaction, ownersOf(1, transaction), limits)
        )
      )
      const added = results.filter(({ kind }) => kind === "added").length
      yield* same((yield* store.counts).pend, added, () => "Pending transactions")
      yield* holds(added <= limits.pendingMax, () =>
        `${added} transactions were taken in, expected at most ${limits.pendingMax}`)
      for (const index of [256, 257, 258]) {
        const pending = yield* store.pendingOf(index)
        yield* holds(pending <= limits.pendingPerAccountMax, () =>
          `Account ${index} has ${pending} pending transactions, expected at most ${limits.pendingPerAccountMax}`)
      }
      // nothing is refused while there is room
      if (added < limits.pendingMax) {
        yield* same(
          results.some((result) =>
            result.kind === "full" && result.limit === "pendingMax"
          ),
          false,
          () =>
            "Refused for the pool"
        )
      }
    })),

  law("a group is added as a whole or not at all, and changes as a whole or not at all", (
    store,
    random
  ) =>
    Effect.gen(function*() {
      const limits = { pendingMax: 4 + random.below(12), pendingPerAccountMax: 1 + random.below(8) }
      // no transaction is in two of these
      const groups = GROUPS.slice(1)
      const adding = [...groups, ...groups].map((numbers) =>
        Effect.asVoid(store.addGroup(
          poolGroupOf(numbers, new SeededRandom(numbers[0]!), TIME_MS)
            .map((transaction) => ({ transaction, ...ownersOf(1, transaction) })),
          limits
        ))
      )
      const moving = [...groups, ...groups].map((numbers, batchNum) =>
        Effect.asVoid(store.change(numbers.map(pendingTo("fing", batchNum)), TIME_MS + 1))
      )
      yield* concurrently(random, random.chance(0.5) ? [...adding, ...moving] : adding)
      for (const numbers of groups) {
        const members = yield* store.members([groupIdOf(numbers)])
        const states = members.map(({ transaction }) =>
          `${transaction.state} ${transaction.batchNum}`
        )
        yield* holds(
          members.length === 0 || members.length === numbers.length,
          () => `${members.length} of ${numbers.length} transactions of a group are in the pool`
        )
        yield* holds(
          new Set(states).size < 2,
          () => `The transactions of a group are ${states.join(", ")}`
        )
        // a change of one transaction that does not apply stops that of the others
        const [first] = members
        if (first === undefined) continue
        const { batchNum, state } = first.transaction
        const partial = yield* store.change(
          members.map(({ transaction: { id } }, position) => ({
            id,
            from: state,
            fromBatchNum: position === 1 ? 77 : batchNum,
            to: null,
            batchNum,
            reason: "Unwanted"
          })),
          TIME_MS + 2
        )
        yield* same(partial, [], () => "Transactions of a group that a partial change removed")
      }
    })),

  law(
    "of several authorizations of one address at the same time exactly one is stored, and every caller learns which",
    (store, random) =>
      Effect.gen(function*() {
        const competing = Array.from(
          { length: 6 },
          (_, number) => ({
            address: `0x${"1".repeat(40)}`,
            publicKey: keyOf(number),
            signature: "0x",
            timestampMs: number
          })
        )
        const results = yield* concurrently(
          random,
          competing.map((authorization) => store.addAuthorization(authorization))
        )
        yield* same(results.filter(({ added }) => added).length, 1, () =>
          "Authorizations that were added")
        const stored = yield* store.authorization(competing[0]!.address)
        yield* same(
          results.map(({ authorization }) =>
            authorization
          ),
          competing.map(() => stored),
          () => "The results of the other calls"
        )
      })
  ),

  law(
    "of a replacement under the same id and other changes of what was read, exactly one takes effect",
    (store, random) =>
      Effect.gen(function*() {
        yield* fill(store, random)
        const rows = yield* store.pooled(NUMBERS.map(idOf))
        const signatureOf = (writer: number) => String(writer).padStart(128, "1")
        const replacing = [1, 2].flatMap((writer) =>
          rows.map(({ arrival, sender, receiver, transaction }) =>
            Effect.map(
              store.replaceTransaction(
                { id: transaction.id, arrival },
                { ...transaction, maxNumBatch: 99, signature: signatureOf(writer) },
                { sender, receiver },
                unlimited
              ),
              ({ kind }) => kind === "replaced" ? [transaction.id] : []
            )
          )
        )
        const forging = rows.map(({ arrival, transaction: { id } }) =>
          store.change([{ ...pendingTo("fing", 4)(0), id, arrival }], TIME_MS)
        )
        const changed = (yield* concurrently(random, [...replacing, ...forging])).flat()
        yield* same(
          changed.toSorted(),
          NUMBERS.map(idOf).toSorted(),
          () => "Transactions that one of the writers changed"
        )
        for (const { transaction } of yield* store.pooled(NUMBERS.map(idOf))) {
          const { id, maxNumBatch, signature, state } = transaction
          const isReplaced = maxNumBatch === 99
          yield* holds(
            isReplaced === (state === "pend") && isReplaced === signature.startsWith("1"),
            () => `${id} is ${state} with the signature ${signature}`
          )
          const broken = brokenStep(yield* store.transitions(id), transaction)
          yield* holds(broken === undefined, () => `Transaction ${id}: ${broken}`)
        }
      })
  ),

  law(
    "of several reconciliations of the same batch exactly one takes effect",
    (store, random) =>
      Effect.gen(function*() {
        yield* fill(store, random)
        const from = { batchNum: 3, ethereumBlockHash: "0x3" }
        yield* store.reconcile({ from: null, to: from, changes: [] }, TIME_MS)
        const results = yield* concurrently(
          random,
          [1, 2, 3, 4, 5].map((batchNum) =>
            store.reconcile({
              from,
              to: { batchNum: batchNum + 3, ethereumBlockHash: `0x${batchNum}` },
              changes: NUMBERS.map(pendingTo("fged", batchNum))
            }, TIME_MS + 1)
          )
        )
        yield* same(
          results.filter((result) => result !== null).length,
          1,
          () => "Reconciliations that took place"
        )
        yield* same((yield* store.counts).fged, NUMBERS.length, () => "Transactions that it forged")
      })
  ),

  law(
    "the transitions of each transaction form a chain, with any other calls in between",
    (store, random) =>
      Effect.gen(function*() {
        yield* fill(store, random)
        const writer = (name: number) =>
          Effect.gen(function*() {
            for (let step = 0; step < 6; step++) {
              const of = random.some(NUMBERS, 0.3).map(idOf)
              const rows = yield* store.pooled(of)
              yield* yields(random, 4)
              yield* store.change(
                rows.map(({ transaction }) => changeOf(transaction.id, random, transaction)),
                TIME_MS + 1
              )
              yield* store.addTransaction(
                poolTransactionOf(random.of(NUMBERS), random, TIME_MS + 1),
                ownersOf(name),
                unlimited
              )
            }
          })
        yield* concurrently(random, [1, 2, 3, 4].map(writer))
        for (const id of NUMBERS.map(idOf)) {
          const broken = brokenStep(
            yield* store.transitions(id),
            yield* store.transaction(id)
          )
          yield* holds(broken === undefined, () => `Transaction ${id}: ${broken}`)
        }
      })
  )
]

/** Returns a function that changes the pending transaction with a number to another state. */
const pendingTo = (to: "fing" | "fged", batchNum: number) => (number: number): PoolChange => ({
  id: idOf(number),
  from: "pend",
  fromBatchNum: null,
  to,
  batchNum,
  reason: "Wanted"
})

const fill = (store: Store, random: SeededRandom) =>
  Effect.forEach(
    NUMBERS,
    (number) =>
      store.addTransaction(poolTransactionOf(number, random, TIME_MS), ownersOf(number), unlimited),
    { discard: true }
  )

/** Runs the effects concurrently; each sometimes lets others run first. */
const concurrently = <A>(
  random: SeededRandom,
  effects: ReadonlyArray<Effect.Effect<A, StoreFailure>>
): Effect.Effect<Array<A>, StoreFailure> =>
  Effect.forEach(effects, (effect) => Effect.andThen(yields(random, 4), effect), {
    concurrency: "unbounded"
  })

/** Applies the same random write to both stores and compares the results. */
const write = Effect.fnUntraced(
  function*(store: Store, naive: NaivePool, random: SeededRandom, atMs: number) {
    // changes of whole groups, too
    const some = [
      ...new Set([...random.some(NUMBERS, 0.2), ...random.chance(0.5) ? random.of(GROUPS) : []])
    ]
    const changes = some.map((number) =>
      changeOf(idOf(number), random, naive.find(idOf(number))?.transaction ?? null)
    )
    // a second change of a transaction begins where the first one ends
    changes.push(
      ...random.some(changes, 0.2).flatMap((change) =>
        naive.find(change.id)?.transaction.group === undefined
          ? [{
            ...changeOf(change.id, random, null),
            from: change.to ?? change.from,
            fromBatchNum: change.batchNum
          }]
          : []
      )
    )
    switch (random.below(7)) {
      case 6: {
        const group = poolGroupOf(random.of(GROUPS), random, atMs)
          .map((transaction, position) => ({ transaction, ...ownersOf(position, transaction) }))
        const limits = { pendingMax: 12, pendingPerAccountMax: 6 }
        return yield* same(
          yield* store.addGroup(group, limits),
          naive.addGroup(group, limits),
          () => "Adding a group"
        )
      }
      case 0:
      case 1: {
        const transaction = poolTransactionOf(random.of(NUMBERS), random, atMs)
        const limits = { pendingMax: 12, pendingPerAccountMax: 6 }
        return yield* same(
          yield* store.addTransaction(transaction, ownersOf(1, transaction), limits),
          naive.add(transaction, ownersOf(1, transaction), limits),
          () => "Adding a transaction"
        )
      }
      case 2: {
        const id = idOf(random.of(NUMBERS))
        const replaced = naive.find(id)?.transaction
        const { fromAccountIndex, nonce } = replaced ?? { fromAccountIndex: 256, nonce: 0n }
        const transaction = {
          ...poolTransactionOf(random.of(NUMBERS), random, atMs),
          fromAccountIndex,
          nonce,
          ...random.chance(0.5) ? { id } : {},
          signature: String(random.below(1000)).padStart(128, "0")
        }
        const limits = { pendingMax: 12, pendingPerAccountMax: 6 }
        // arrivals may have gaps that differ between the two pools
        const [row] = yield* store.pooled([id])
        const shift = random.of([null, 0, 0, 1])
        const arrivalOf = (row: Pooled | undefined) =>
          row === undefined || shift === null ? null : row.arrival + shift
        return yield* same(
          yield* store.replaceTransaction(
            { id, arrival: arrivalOf(row) },
            transaction,
            ownersOf(2, transaction),
            limits
          ),
          naive.replace(
            { id, arrival: arrivalOf(naive.find(id)) },
            transaction,
            ownersOf(2, transaction),
            limits
          ),
          () => "Replacing a transaction"
        )
      }
      case 3:
        return yield* same(
          yield* store.change(changes, atMs),
          naive.change(changes, atMs),
          () => "Changing transactions"
        )
      case 4: {
        const from = random.chance(0.8)
          ? naive.marks.at(-1) ?? null
          : { batchNum: 1, ethereumBlockHash: "0xother" }
        const back = random.chance(0.3)
        const to = back
          ? random.of([null, ...naive.marks])
          : {
            batchNum: (from?.batchNum ?? 0) + 1 + random.below(2),
            ethereumBlockHash: `0x${random.below(99)}`
          }
        return yield* same(
          yield* store.reconcile({ from, to, changes }, atMs),
          naive.reconcile({ from, to, changes }, atMs),
          () => "Settling"
        )
      }
      default: {
        // of two notes on one transaction the last one counts
        const notes = [...some, ...random.some(some, 0.2)].map((number) =>
          noteOf(idOf(number), random, atMs)
        )
        const selected = random.some(NUMBERS, 0.1).map(idOf)
        yield* store.skip(notes, selected)
        for (const id of selected) naive.notes.delete(id)
        for (const note of notes) {
          if (naive.find(note.id)?.transaction.state === "pend") naive.notes.set(note.id, note)
        }
      }
    }
  }
)

const idsIn = (rows: ReadonlyArray<{ readonly transaction: { readonly id: string } }>) =>
  rows.map(({ transaction }) => transaction.id)

/** Compares the answer to every query, with random parameters. */
const compareAnswers = Effect.fnUntraced(
  function*(store: Store, naive: NaivePool, random: SeededRandom, atMs: number) {
    const ids = NUMBERS.map(idOf)
    const compared = <Answer>(
      what: string,
      answer: Effect.Effect<Answer, StoreFailure>,
      expected: unknown,
      part: (answer: Answer) => unknown = (all) => all
    ) => Effect.flatMap(answer, (found) => same(part(found), expected, () => what))
    // only the order of arrivals is defined; they may have gaps
    const plain = (rows: ReadonlyArray<Pooled>) => rows.map(withoutArrival)

    yield* compared("Counts", store.counts, naive.counts())
    const asked = [...ids, idOf(99), ...ids]
    const rows = yield* store.pooled(asked)
    yield* same(
      plain(rows),
      plain(asked.flatMap((id) => naive.find(id) ?? [])),
      () => "Rows of ids"
    )
    for (const id of ids) {
      const found = naive.find(id)?.transaction ?? null
      yield* compared(`Transaction ${id}`, store.transaction(id), found)
      yield* compared(`Note on ${id}`, store.skippedTransaction(id), naive.notes.get(id) ?? null)
      yield* compared(
        `Steps of ${id}`,
        store.transitions(id),
        naive.steps.filter((step) => step.id === id)
      )
    }
    const groups = random.some(GROUPS, 0.7).map(groupIdOf)
    yield* compared(
      "Transactions of groups",
      store.members(groups),
      plain(groups.flatMap((id) => naive.members(id))),
      plain
    )
    const tokens = new Set(naive.inState("pend").map(({ transaction }) => transaction.tokenId))
    yield* compared("Tokens of pending transactions", store.pendingTokens, [...tokens].sort())
    const limit = 1 + random.below(5)
    for (const tokenId of [0, 1, 2, greatest.token]) {
      const after = random.chance(0.3) || rows.length === 0 ? null : random.of(rows)
      const from = after === null ? null : naive.find(after.transaction.id)!
      yield* compared(
        `Token ${tokenId} by fee`,
        store.pendingByFee({ tokenId, after, limit }),
        idsIn(naive.byFee(tokenId, from)).slice(0, limit),
        idsIn
      )
    }
    const nonces = [256, 257, 258, greatest.account].map((index) => ({
      index,
      nonce: index === greatest.account ? 2n ** 41n : BigInt(random.below(6))
    }))
    const below = nonces.map(({ index, nonce }) =>
      idsIn(naive.pendingOf(index).filter(({ transaction }) => transaction.nonce < nonce))
    )
    for (const [i, { index, nonce }] of nonces.entries()) {
      const pending = naive.pendingOf(index)
      yield* compared(`Pending of account ${index}`, store.pendingOf(index), pending.length)
      yield* compared(
        `Account ${index} below nonce ${nonce}`,
        store.pendingBelow([{ index, nonce }]),
        below[i]!.toSorted(),
        (found) => idsIn(found).toSorted()
      )
    }
    yield* compared(
      "Accounts below their nonces",
      store.pendingBelow([...nonces, ...nonces]),
      [...below, ...below].flat().toSorted(),
      (found) => idsIn(found).toSorted()
    )
    const beforeMs = atMs - random.below(300)
    yield* compared(
      `Pending since before ${beforeMs}`,
      store.pendingSince({ beforeMs, limit }),
      idsIn(naive.since(beforeMs)).slice(0, limit),
      idsIn
    )
    yield* compareLists(store, naive, random)
    const belowBatchNum = random.below(8)
    yield* compared(
      `Expired below batch ${belowBatchNum}`,
      store.pendingExpired(belowBatchNum),
      idsIn(naive.expired(belowBatchNum)),
      idsIn
    )
    for (const state of ["fing", "fged", "invl"] as const) {
      const [from, to] = [random.below(4), random.below(7)]
      yield* compared(
        `${state} in batches ${from} to ${to}`,
        store.inBatches({ state, from, to }),
        idsIn(naive.inBatches(state, from, to)),
        idsIn
      )
    }
    const batchNum = random.below(12)
    const marks = naive.marks.filter((mark) => mark.batchNum < batchNum).toReversed()
    yield* compared(
      `Marks below ${batchNum}`,
      store.reconciledBatchesBelow({ batchNum, limit }),
      marks.slice(0, limit)
    )
  }
)

/** Compares some pages of the list. Arrivals may have gaps that differ between the two pools. */
const compareLists = Effect.fnUntraced(
  function*(store: Store, naive: NaivePool, random: SeededRandom) {
    const all = yield* store.list({ filters: {}, fromArrival: null, order: "ASC", limit: 100 })
    yield* same(
      all.items.map(({ pooled }) => pooled.transaction.id),
      naive.list({ filters: {}, fromArrival: null, order: "ASC", limit: 100 }).ids,
      () => "The whole list"
    )
    for (let times = 0; times < 4; times++) {
      const filters = poolFiltersOf(random, GROUPS.map(groupIdOf))
      const order = random.of(["ASC", "DESC"] as const)
      const limit = 1 + random.below(6)
      const from = random.chance(0.4) || all.items.length === 0 ? null : random.of(all.items).pooled
      const page = yield* store.list({ filters, fromArrival: from?.arrival ?? null, order, limit })
      const expected = naive.list({
        filters,
        fromArrival: from === null ? null : naive.find(from.transaction.id)!.arrival,
        order,
        limit
      })
      const { firstItem, lastItem, pendingItems, totalItems } = page.counts
      yield* same(
        {
          ids: page.items.map(({ pooled }) => pooled.transaction.id),
          notes: page.items.map(({ skipped }) => skipped),
          invalidReasons: page.items.map(({ invalidReason }) => invalidReason),
          pendingItems,
          totalItems
        },
        expected,
        () => `A page of the list with ${JSON.stringify({ filters, order, limit })}`
      )
      const whole = yield* store.list({ filters, fromArrival: null, order: "ASC", limit: 100 })
      const itemIdOf = (item: typeof whole.items[number] | undefined) =>
        item === undefined ? null : item.pooled.arrival + 1
      yield* same(
        [firstItem, lastItem],
        [itemIdOf(whole.items[0]), itemIdOf(whole.items.at(-1))],
        () => "First and last item"
      )
    }
  }
)

const withoutArrival = ({ receiver, sender, sinceMs, transaction }: Omit<Pooled, "arrival">) => ({
  receiver,
  sender,
  sinceMs,
  transaction
})
