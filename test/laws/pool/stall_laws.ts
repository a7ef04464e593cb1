import { Deferred, Effect, Fiber, Layer } from "effect"
import type { BlockFeed, L2Feed } from "../../../core/domain/mod.ts"
import { LedgerReader, PoolStore } from "../../../core/ports/mod.ts"
import { type Ledger, Pool } from "../../../core/use_cases/mod.ts"
import { SeededRandom } from "../_seeded_random.ts"
import { type Law, onlyViolations, same } from "../law.ts"
import { haltAfter, halting } from "./_halting.ts"
import { postedTransferOf } from "./_pool_rows.ts"
import { openWorld, type World } from "./_pool_world.ts"
import { batchOf } from "./pool_network.ts"
import type { PoolSubject } from "./pool_subject.ts"

/** What is forged in batches 3 and 4, from account 256 and from account 257. */
const transfers: ReadonlyArray<Required<L2Feed>> = [256, 257].map((fromAccountIndex) => ({
  fromAccountIndex,
  toAccountIndex: 258,
  amount: 1000n,
  fee: 126,
  nonce: 0n
}))

/** The state of the pool and the ledger when the reconciliation starts; the chain has batches 3 and 4. */
const starts: {
  readonly [what: string]: (
    world: World,
    blocks: ReadonlyArray<BlockFeed>
  ) => Effect.Effect<void, Error>
} = {
  "two batches are not reconciled": ({ bareLedger }, blocks) => applyAll(bareLedger, blocks),
  "one batch is not reconciled": ({ bareLedger, ledger }, [third, fourth]) =>
    Effect.andThen(applyAll(ledger, [third!]), applyAll(bareLedger, [fourth!])),
  "a rollback is not reconciled": ({ bareLedger, chain, ledger }, blocks) =>
    Effect.gen(function*() {
      yield* applyAll(ledger, blocks)
      const { dropped, toBlock } = chain.cut(1)
      yield* bareLedger.rollBack(toBlock)
      chain.restore(dropped)
    }),
  "all is reconciled": ({ ledger }, blocks) => applyAll(ledger, blocks)
}

/**
 * How the blocks return while the reconciliation waits: a process may end after it has written the ledger,
 * and before it reconciles the pool.
 */
const returns: {
  readonly [how: string]: (
    world: World
  ) => { readonly first: Ledger["Service"]; readonly last: Ledger["Service"] }
} = {
  "reconciled": ({ ledger }) => ({ first: ledger, last: ledger }),
  "reconciled except the last": ({ bareLedger, ledger }) => ({ first: ledger, last: bareLedger }),
  "not reconciled": ({ bareLedger }) => ({ first: bareLedger, last: bareLedger })
}

const applyAll = (ledger: Ledger["Service"], blocks: ReadonlyArray<BlockFeed>) =>
  Effect.forEach(blocks, (block) => ledger.applyBlock(block), { discard: true })

/** One run: which call the reconciliation waits before, and what happens in the meantime. */
interface Case {
  readonly start: string
  readonly how: string
  readonly depth: number
  /** Whether the coordinator had sent the batches before the ledger had them. */
  readonly isSent: boolean
  readonly after: number
}

/** Runs a case. Returns whether the reconciliation made the call. */
const runCase = Effect.fnUntraced(function*(subject: PoolSubject, of: Case) {
  const { after, depth, how, isSent, start } = of
  const world = yield* openWorld(subject, new SeededRandom(subject.seed))
  const { chain, pool, reader, store, submission } = world
  const ids: Array<string> = []
  for (const [position, transfer] of transfers.entries()) {
    const { id } = yield* submission.submitTransaction(
      postedTransferOf(transfer, subject.keccak256)
    )
    ids.push(id)
    if (!isSent) continue
    yield* pool.startForging([id], 3 + position)
    yield* pool.doneForging([id], 3 + position)
  }
  const blocks = transfers.map((transfer, position) =>
    chain.grow({ batches: [batchOf(3 + position, { l2: [transfer] })] })
  )
  yield* starts[start]!(world, blocks)

  const halt = haltAfter(after)
  const reconciling = yield* Effect.forkChild(Effect.provide(
    Effect.flatMap(Pool, (each) => each.reconcile),
    Layer.fresh(Pool.layer({ keccak256: subject.keccak256 })).pipe(
      Layer.provide(Layer.succeed(PoolStore, halting(store, halt))),
      Layer.provide(Layer.succeed(LedgerReader, reader))
    )
  ))
  const isReached = yield* Effect.raceFirst(
    Effect.as(Deferred.await(halt.reached), true),
    Effect.as(Fiber.join(reconciling), false)
  )
  if (isReached) {
    const { first, last } = returns[how]!(world)
    const { dropped, toBlock } = chain.cut(depth)
    yield* first.rollBack(toBlock)
    yield* applyAll(first, dropped.slice(0, -1))
    yield* applyAll(last, dropped.slice(-1))
    chain.restore(dropped)
    yield* Deferred.succeed(halt.resumed, undefined)
    yield* Fiber.join(reconciling)
    // the next process reconciles what one that ended has written
    if (last !== world.ledger) yield* pool.reconcile
    const states = yield* Effect.forEach(ids, (id) => pool.transaction(id))
    yield* same(
      states.map((found) => `${found?.state} ${found?.batchNum}`),
      ["fged 3", "fged 4"],
      () =>
        `The states after a reconciliation that starts when ${start}${
          isSent ? " and both were sent" : ""
        }, and waits before its call ${after} while ${depth} blocks return ${how}`
    )
  }
  return isReached
})

/** Laws of a reconciliation that stalls while another process changes the ledger and the pool. */
export const stallLaws: ReadonlyArray<Law<PoolSubject>> = Object.keys(starts).map((start) => ({
  name:
    `a reconciliation that starts when ${start} and stalls before any of its calls, while blocks are rolled back and applied again, leaves every forged transaction forged`,
  run: (subject) =>
    onlyViolations(Effect.gen(function*(): Effect.fn.Return<void, Error> {
      const random = new SeededRandom(`${subject.seed}:${start}`)
      // a subject with few runs is slow: it tries a sample of the cases and of the calls
      const stride = subject.runs < 4 ? 32 : subject.runs < 10 ? 8 : 1
      const share = subject.runs < 4 ? 4 : 1
      for (const how of Object.keys(returns)) {
        for (const depth of [1, 2]) {
          for (const isSent of [false, true]) {
            if (random.below(share) > 0) continue
            for (let after = random.below(stride);; after += stride) {
              const of = { start, how, depth, isSent, after }
              if (!(yield* Effect.scoped(runCase(subject, of)))) break
            }
          }
        }
      }
    }))
}))
