/* The figures of `/state` by hand: metrics, recommended fee and buckets, in each store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application } from "../../adapters/http/mod.ts"
import { poolLayer } from "../../adapters/memory/mod.ts"
import { wireContext } from "../../core/contract/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { type Ledger, Submission } from "../../core/use_cases/mod.ts"
import { ledgerOver, openStores, temporaryDirectory } from "../journal/_directories.ts"
import { memoryLedger } from "../properties/_networks.ts"
import { emptyLedgers } from "../sql/_empty_ledgers.ts"
import { ann, batchOf, blockOf, bob, declared, headOf, l1Of, l2Of } from "../use_cases/_chain.ts"
import { genesis } from "../use_cases/_network.ts"

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

const application = (reader: LedgerReader["Service"]) =>
  Layer.fresh(
    Application.layer({
      context: wireContext(genesis.network, keccak256),
      constants: genesis.constants
    }).pipe(
      Layer.provide(
        Layer.mergeAll(Layer.succeed(LedgerReader, reader), poolLayer, Layer.mock(Submission, {}))
      )
    )
  )

/** The parts of `/state` that this file compares; bucket integers are numbers or texts. */
interface Shown {
  readonly metrics: {
    readonly transactionsPerBatch: number
    readonly batchFrequency: number
    readonly transactionsPerSecond: number
  }
  readonly recommendedFee: { readonly [kind: string]: number }
  readonly rollup: {
    readonly buckets: ReadonlyArray<{
      readonly withdrawals: number | string
      readonly blockStamp?: number | string
    }>
  }
}

const readState = (url: string) =>
  Effect.flatMap(Application, ({ handle }) => handle({ method: "GET", url, headers: {} })).pipe(
    Effect.map(({ body, status }): Shown => {
      assert.strictEqual(status, 200)
      return JSON.parse(Buffer.from(body).toString())
    })
  )
const readStates = Effect.all({
  later: readState("/state"),
  earlier: readState("/earlier/state"),
  v1: readState("/v1/state")
})

/** Returns metrics and recommended fee; they are the same in all revisions. */
const readFigures = Effect.map(readStates, ({ later, earlier, v1 }) => {
  const figuresOf = ({ metrics, recommendedFee }: Shown) => ({
    perBatch: metrics.transactionsPerBatch,
    frequency: metrics.batchFrequency,
    perSecond: metrics.transactionsPerSecond,
    fees: Object.values(recommendedFee)
  })
  assert.deepStrictEqual(figuresOf(earlier), figuresOf(later))
  assert.deepStrictEqual(figuresOf(v1), figuresOf(later))
  return figuresOf(later)
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

describe("the figures of /state", () => {
  for (const [name, open] of Object.entries(stores)) {
    it.live(`are those of the batches of one day and of the fees of one hour, also after a rollback (${name})`, () =>
      Effect.gen(function*() {
        const { ledger, reader } = yield* open
        yield* Effect.gen(function*() {
          const none = {
            perBatch: 0,
            frequency: 0,
            perSecond: 0,
            fees: [0.01, 0.025, 0.02]
          }
          assert.deepStrictEqual(yield* readFigures, none)
          for (const block of [chain.queues, chain.empty]) yield* ledger.applyBlock(block)
          assert.deepStrictEqual(yield* readFigures, none)

          yield* ledger.applyBlock(chain.forty)
          const forty = { ...none, perBatch: 40, perSecond: 40 / 86_400 }
          assert.deepStrictEqual(yield* readFigures, forty)

          yield* ledger.applyBlock(chain.fees)
          const two = {
            perBatch: 69 / 2,
            frequency: 600,
            perSecond: 69 / 86_400,
            fees: [3.25, 8.125, 6.5]
          }
          assert.deepStrictEqual(yield* readFigures, two)

          // a head moves the windows: more than an hour without a fee, then a day with one batch
          const headAt = (number: bigint, afterMs: number) =>
            ledger.setHead(headOf(number, { timestampMs: chain.fees.timestampMs + afterMs }))
          yield* headAt(110n, 3_600_001)
          assert.deepStrictEqual(yield* readFigures, { ...two, fees: none.fees })
          yield* headAt(111n, dayMs)
          assert.deepStrictEqual(yield* readFigures, {
            perBatch: 29,
            frequency: 0,
            perSecond: 29 / 86_400,
            fees: none.fees
          })

          yield* ledger.rollBack(103n)
          assert.deepStrictEqual(yield* readFigures, forty)
          yield* ledger.rollBack(102n)
          assert.deepStrictEqual(yield* readFigures, none)
        }).pipe(Effect.provide(application(reader)))
      }).pipe(Effect.scoped))

    it.live(`use the age of the network if it is less than a day (${name})`, () =>
      Effect.gen(function*() {
        const { ledger, reader } = yield* open
        yield* ledger.applyBlock(chain.queues)
        yield* ledger.applyBlock(chain.empty)
        yield* ledger.applyBlock({ ...chain.forty, timestampMs: start + 240_000 })
        yield* Effect.gen(function*() {
          assert.deepInclude(yield* readFigures, {
            perBatch: 20,
            frequency: 240,
            perSecond: 40 / 240
          })
        }).pipe(Effect.provide(application(reader)))
      }).pipe(Effect.scoped))

    it.live(`show in later what is left in a bucket at the last block, and elsewhere what was left at its last change (${name})`, () =>
      Effect.gen(function*() {
        const { ledger, reader } = yield* open
        const readBucket = Effect.map(
          readStates,
          (revisions) =>
            Object.values(revisions).map(({ rollup }) => rollup.buckets[1]!.withdrawals)
        )
        yield* Effect.gen(function*() {
          // 3 withdrawals at block 0, one more every 5 blocks, at most 10
          assert.deepStrictEqual(yield* readBucket, [10, 3, "3"])
          yield* ledger.applyBlock(blockOf(101n))
          yield* ledger.applyBlock(
            blockOf(102n, { bucketUpdates: [{ bucket: 1, blockStamp: 102n, withdrawals: 2n }] })
          )
          assert.deepStrictEqual(yield* readBucket, [2, 2, "2"])
          for (const number of [103n, 104n, 105n, 106n]) {
            yield* ledger.applyBlock(blockOf(number))
            assert.deepStrictEqual(yield* readBucket, [2, 2, "2"])
          }
          yield* ledger.applyBlock(blockOf(107n))
          assert.deepStrictEqual(yield* readBucket, [3, 2, "2"])
          yield* ledger.setHead(headOf(117n))
          assert.deepStrictEqual(yield* readBucket, [5, 2, "2"])
          yield* ledger.setHead(headOf(999n))
          assert.deepStrictEqual(yield* readBucket, [10, 2, "2"])
          const { earlier, later, v1 } = yield* readStates
          assert.deepStrictEqual(
            [earlier, later, v1].map(({ rollup }) => rollup.buckets[1]!.blockStamp),
            [102, undefined, "102"]
          )
          yield* ledger.rollBack(106n)
          assert.deepStrictEqual(yield* readBucket, [2, 2, "2"])
          yield* ledger.rollBack(101n)
          assert.deepStrictEqual(yield* readBucket, [10, 3, "3"])
        }).pipe(Effect.provide(application(reader)))
      }).pipe(Effect.scoped))
  }
})
