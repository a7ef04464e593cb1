/* The figures of `/state` by hand, in each store. */
import { textOf } from "../_answers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Schema, Scope } from "effect"
import { afterAll } from "vitest"
import { Application } from "../../adapters/http/mod.ts"
import { revisionList, wireSchema } from "../../core/contract/mod.ts"
import type { BlockFeed } from "../../core/domain/mod.ts"
import type { LedgerReader } from "../../core/ports/mod.ts"
import type { Ledger } from "../../core/use_cases/mod.ts"
import { ledgerOver, openStores, temporaryDirectory } from "../journal/_directories.ts"
import { mountOf } from "../_mounts.ts"
import { memoryLedger } from "../properties/_networks.ts"
import { emptyLedgers } from "../sql/_empty_ledgers.ts"
import { ann, batchOf, blockOf, bob, declared, headOf, l1Of, l2Of } from "../use_cases/_chain.ts"
import { genesis } from "../use_cases/_network.ts"
import { applicationOver, ask, context } from "./_application.ts"

const scope = Effect.runSync(Scope.make())
const openSql = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

interface Opened {
  readonly ledger: Ledger["Service"]
  readonly reader: LedgerReader["Service"]
}
const stores: { readonly [name: string]: Effect.Effect<Opened, unknown, Scope.Scope> } = {
  memory: memoryLedger(genesis),
  "a directory": Effect.gen(function*() {
    const opened = yield* openStores(yield* temporaryDirectory, genesis)
    return { reader: opened.reader, ledger: yield* ledgerOver(genesis, opened) }
  }),
  PostgreSQL: Effect.flatMap(openSql, (open) => open(genesis))
}

/** The parts of `/state` that this file compares, decoded. */
interface Shown {
  readonly metrics: {
    readonly transactionsPerBatch: number
    readonly batchFrequency: number
    readonly transactionsPerSecond: number
  }
  readonly recommendedFee: { readonly [kind: string]: number }
  readonly rollup: {
    readonly buckets: ReadonlyArray<{
      readonly withdrawals: bigint
      /** The block of the last change, in revisions that show what was left then. */
      readonly blockStamp?: bigint
    }>
  }
}

/** Returns the states of all revisions. */
const readStates = Effect.forEach(
  revisionList,
  (revision) =>
    Effect.map(ask(`${mountOf(revision)}/state`), (answer) => {
      assert.strictEqual(answer.status, 200)
      return Schema.decodeUnknownSync(wireSchema(revision.shapes.state.schema, context))(
        JSON.parse(textOf(answer))
      ) as Shown
    })
)

/** Returns metrics and recommended fee; they are the same in all revisions. */
const readFigures = Effect.map(readStates, (states) => {
  const [figures, ...others] = states.map(({ metrics, recommendedFee }) => ({
    perBatch: metrics.transactionsPerBatch,
    frequency: metrics.batchFrequency,
    perSecond: metrics.transactionsPerSecond,
    fees: Object.values(recommendedFee)
  }))
  for (const other of others) assert.deepStrictEqual(other, figures)
  return figures
})

/** Returns what is left in a bucket, in the revisions without and with the block of its change. */
const readBucket = Effect.map(readStates, (states): ReadonlyArray<bigint> => {
  const buckets = states.map(({ rollup: { buckets: [, bucket] } }) => bucket!)
  const of = (isStamped: boolean) => {
    const some = buckets.filter(({ blockStamp }) => (blockStamp !== undefined) === isStamped)
    return new Set(some.map(({ withdrawals }) => withdrawals))
  }
  return [...of(false), ...of(true)]
})

const dayMs = 86_400_000
const start = genesis.block.timestampMs
const ether = 10n ** 18n

const creations = [ann, bob].map((owner, position) =>
  l1Of(1, position, {
    fromAddress: owner.address,
    fromPublicKey: owner.key,
    fromAccountIndex: 0,
    depositAmount: 1000n * ether
  })
)
const deposits = (queue: number, first: number, count: number) =>
  Array.from({ length: count }, (_, i) => l1Of(queue, first + i, { depositAmount: 1n }))
const queued = [...creations, ...deposits(1, 2, 38)]
const later = deposits(2, 0, 5)

const at = (number: bigint, timestampMs: number, parts: Parameters<typeof blockOf>[1] = {}) =>
  blockOf(number, { timestampMs, ...parts })

/** An empty batch, three days later one of 40 L1 transactions, ten minutes after it one of 24 L2. */
const chain = {
  queues: at(101n, start, {
    prices: [{ tokenId: 0, priceUSD: 2, timeMs: start }],
    l1UserTransactions: queued
  }),
  empty: at(102n, start, { batches: [batchOf(1, { forgeL1TransactionsNum: 0 })] }),
  forty: at(103n, start + 3 * dayMs, {
    batches: [batchOf(2, { forgeL1TransactionsNum: 1, l1UserEffects: queued.map(declared) })],
    l1UserTransactions: later
  }),
  // fee selector 192: as much as the amount, 1.625 ether of 2 US dollars
  fees: at(104n, start + 3 * dayMs + 600_000, {
    batches: [batchOf(3, {
      feeAccounts: [257],
      forgeL1TransactionsNum: 2,
      l1UserEffects: later.map(declared),
      l2: Array.from(
        { length: 24 },
        (_, nonce) => l2Of(256, 257, { amount: 13n * ether / 8n, fee: 192, nonce: BigInt(nonce) })
      )
    })]
  })
}

type Write = (ledger: Opened["ledger"]) => Effect.Effect<unknown, unknown>

for (const [name, open] of Object.entries(stores)) {
  /** Declares a test of an empty ledger. */
  const itShows = (
    what: string,
    test: (ledger: Opened["ledger"]) => Effect.Effect<void, unknown, Application>
  ) =>
    it.live(
      what,
      () =>
        Effect.flatMap(open, ({ ledger, reader }) =>
          Effect.provide(test(ledger), Layer.fresh(applicationOver(reader)))).pipe(Effect.scoped)
    )
  /** Takes steps, and compares what is read after each. */
  const follow = Effect.fnUntraced(function*<Value>(
    ledger: Opened["ledger"],
    read: Effect.Effect<Value, unknown, Application>,
    steps: ReadonlyArray<readonly [write: Write, expected: Value]>
  ) {
    for (const [at, [write, expected]] of steps.entries()) {
      yield* write(ledger)
      assert.deepStrictEqual(yield* read, expected, `after step ${at + 1}`)
    }
  })
  const apply = (block: BlockFeed): Write => (ledger) => ledger.applyBlock(block)
  const rollBack = (toBlock: bigint): Write => (ledger) => ledger.rollBack(toBlock)
  const moveHead = (number: bigint, parts: Parameters<typeof headOf>[1] = {}): Write => (ledger) =>
    ledger.setHead(headOf(number, parts))

  describe(`the figures of /state over ${name}`, () => {
    itShows(
      "are those of the batches of one day and of the fees of one hour, also after a rollback",
      (ledger) => {
        const none = { perBatch: 0, frequency: 0, perSecond: 0, fees: [0.01, 0.025, 0.02] }
        const forty = { ...none, perBatch: 40, perSecond: 40 / 86_400 }
        const two = {
          perBatch: 69 / 2,
          frequency: 600,
          perSecond: 69 / 86_400,
          fees: [3.25, 8.125, 6.5]
        }
        const after = (ms: number) => ({ timestampMs: chain.fees.timestampMs + ms })
        return follow(ledger, readFigures, [
          [() => Effect.void, none],
          [apply(chain.queues), none],
          [apply(chain.empty), none],
          [apply(chain.forty), forty],
          [apply(chain.fees), two],
          // a head moves the windows: more than an hour without a fee, then a day with one batch
          [moveHead(110n, after(3_600_001)), { ...two, fees: none.fees }],
          [moveHead(111n, after(dayMs)), { ...none, perBatch: 29, perSecond: 29 / 86_400 }],
          [rollBack(103n), forty],
          [rollBack(102n), none]
        ])
      }
    )

    itShows(
      "use the age of the network if it is less than a day",
      (ledger) =>
        Effect.gen(function*() {
          const blocks = [chain.queues, chain.empty, {
            ...chain.forty,
            timestampMs: start + 240_000
          }]
          for (const block of blocks) yield* ledger.applyBlock(block)
          assert.deepInclude(yield* readFigures, {
            perBatch: 20,
            frequency: 240,
            perSecond: 40 / 240
          })
        })
    )

    itShows(
      "show what is left in a bucket at the last block, or what was left at its last change beside the block of the change",
      (ledger) =>
        Effect.gen(function*() {
          const bucketUpdates = [{ bucket: 1, blockStamp: 102n, withdrawals: 2n }]
          // 3 withdrawals at block 0, one more every 5 blocks, at most 10
          yield* follow(ledger, readBucket, [
            [() => Effect.void, [10n, 3n]],
            [apply(blockOf(101n)), [10n, 3n]],
            [apply(blockOf(102n, { bucketUpdates })), [2n, 2n]],
            ...[103n, 104n, 105n, 106n].map((number) =>
              [apply(blockOf(number)), [2n, 2n]] as const
            ),
            [apply(blockOf(107n)), [3n, 2n]],
            [moveHead(117n), [5n, 2n]],
            [moveHead(999n), [10n, 2n]]
          ])
          assert.deepStrictEqual(
            new Set((yield* readStates).map(({ rollup }) => rollup.buckets[1]!.blockStamp)),
            new Set([undefined, 102n])
          )
          yield* follow(ledger, readBucket, [
            [rollBack(106n), [2n, 2n]],
            [rollBack(101n), [10n, 3n]]
          ])
        })
    )
  })
}
