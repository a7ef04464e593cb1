import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { BlockViolation, Ledger } from "../../core/use_cases/mod.ts"
import { block101, block102, chain } from "./_chain.ts"
import { genesis, hashOf, memoryLedger } from "./_network.ts"

const price = { tokenId: 1, priceUSD: 1, timeMs: 0 }
const { auction } = genesis.constants
const { rollup } = genesis.variables
const [bucket] = rollup.buckets
const genesisWith = (parts: object): unknown => ({
  kind: "genesis",
  genesis: { ...genesis, ...parts }
})
const genesisOf = (buckets: ReadonlyArray<typeof bucket>) =>
  genesisWith({ variables: { ...genesis.variables, rollup: { ...rollup, buckets } } })
const bucketText = JSON.stringify(
  bucket,
  (_, value) => typeof value === "bigint" ? String(value) : value
)

/** Records that a ledger at block 102 refuses: invariant, place, value, and what was expected. */
const refused: ReadonlyArray<readonly [record: unknown, refusal: string, expected?: string]> = [
  ...[1n << 64n, 99n].map((toBlock) =>
    [{ kind: "rollBack", toBlock }, `roll-back-block /toBlock ${toBlock}`] as const
  ),
  ...[102, "102", null, undefined].map((toBlock) =>
    [{ kind: "rollBack", toBlock }, `shape /toBlock ${toBlock}`] as const
  ),
  [{ kind: "blocks" }, "shape /kind blocks"],
  ...[{}, null, 7].map((record) => [record, "shape /kind undefined"] as const),
  [{ kind: "prices" }, "shape /prices undefined"],
  [{ kind: "genesis" }, "shape /genesis undefined"],
  [genesisWith({ block: { ...genesis.block, number: -1n } }), "shape /genesis/block/number -1"],
  [
    { kind: "prices", prices: [price, { ...price, tokenId: 2 }] },
    "token-exists /prices/1/tokenId 2"
  ],
  [{ kind: "prices", prices: [{ ...price, priceUSD: -1 }] }, "shape /prices/0/priceUSD -1"],
  [{ kind: "block", block: { ...block102, hash: hashOf(1n) } }, `block-hash /hash ${hashOf(1n)}`],
  // of another network
  [
    genesisWith({ network: { ...genesis.network, name: "Other" } }),
    "genesis /genesis/network/name Other",
    "Test, the genesis of this ledger"
  ],
  [
    genesisWith({ network: { ...genesis.network, chainId: 7 } }),
    "genesis /genesis/network/chainId 7",
    "1, the genesis of this ledger"
  ],
  [
    genesisOf([bucket]),
    "genesis /genesis/variables/rollup/buckets/1 nothing",
    `${bucketText}, the genesis of this ledger`
  ],
  [
    genesisOf([bucket, bucket, bucket]),
    `genesis /genesis/variables/rollup/buckets/2 ${bucketText}`,
    "nothing, the genesis of this ledger"
  ]
]

describe("Ledger", () => {
  it.effect("applies a feed record by record, and reports what each did", () =>
    Effect.gen(function*() {
      const records: ReadonlyArray<FeedRecord> = [
        { kind: "genesis", genesis: structuredClone(genesis) },
        ...chain.map((block) => ({ kind: "block", block }) as const),
        { kind: "block", block: chain[0]! },
        { kind: "prices", prices: [{ ...price, priceUSD: 5 }] },
        { kind: "rollBack", toBlock: 103n },
        // the number of a later block, and of the genesis block
        { kind: "rollBack", toBlock: (1n << 64n) - 1n },
        { kind: "rollBack", toBlock: 100n }
      ]
      const reports = yield* Ledger.use((ledger) => Effect.forEach(records, ledger.applyRecord))
      assert.deepStrictEqual(
        reports.map((report) =>
          report.kind === "block"
            ? report.applied
            : report.kind === "rollBack"
            ? [report.toBlock, report.blocks, report.batches, report.lastBatchNum]
            : report.kind
        ),
        [
          "genesis",
          ...chain.map(() => true),
          false,
          "prices",
          [103n, 3, 1, 2],
          [(1n << 64n) - 1n, 0, 0, 2],
          [100n, 3, 2, 0]
        ]
      )
    }).pipe(Effect.provide(memoryLedger())))

  for (const [record, refusal, expected] of refused) {
    it.effect(`refuses ${refusal.slice(0, 100)}, and stays as it was`, () =>
      Effect.gen(function*() {
        const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
        for (const block of [block101, block102]) yield* ledger.applyBlock(block)
        const before = yield* reader.snapshotId
        const failure = yield* Effect.flip(ledger.applyRecord(record as FeedRecord))
        if (failure._tag !== "BlockViolation") return assert.fail(failure.message)
        assert.strictEqual(`${failure.invariant} ${failure.pointer} ${failure.value}`, refusal)
        if (expected !== undefined) assert.strictEqual(failure.expected, expected)
        assert.deepStrictEqual(yield* reader.snapshotId, before)
      }).pipe(Effect.provide(memoryLedger())))
  }

  const impossible: ReadonlyArray<readonly [GenesisFeed, pointer: string]> = [
    [
      { ...genesis, block: { ...genesis.block, number: 100n + 10n * (1n << 32n) } },
      "/genesis/block/number"
    ],
    [
      {
        ...genesis,
        constants: {
          ...genesis.constants,
          auction: { ...auction, genesisBlockNum: (1n << 64n) - 1n }
        }
      },
      "/genesis/constants/auction/genesisBlockNum"
    ]
  ]
  for (const [opened, pointer] of impossible) {
    it.effect(`does not open with a genesis that no feed could contain: ${pointer}`, () =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Effect.provide(Ledger, memoryLedger(opened)))
        const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
        assert.strictEqual(defect instanceof BlockViolation && defect.pointer, pointer)
      }))
  }
})
