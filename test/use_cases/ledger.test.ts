import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"
import { LedgerWriter } from "../../core/ports/mod.ts"
import { BlockViolation, Ledger, StagedLedger } from "../../core/use_cases/mod.ts"
import { block101, block102, chain } from "./_chain.ts"
import { FakeLedger } from "./_ledger.ts"
import { genesis, hashOf } from "./_network.ts"

/** A writer over the smallest ledger; it counts its calls. */
const writerOf = (ledger: FakeLedger, rolledBack: Array<bigint>): LedgerWriter["Service"] => {
  const snapshotId = () => ({
    ethereumBlockNum: ledger.lastBlock.number,
    batchNum: ledger.lastBatchNum,
    version: ledger.blocks.size
  })
  return {
    apply: (block, decide) =>
      Effect.gen(function*() {
        const decision = yield* Effect.fromResult(decide(ledger))
        if (decision.kind === "alreadyStored") return { applied: false, snapshotId: snapshotId() }
        if (decision.kind === "deferred") return assert.fail("no exit tree is built")
        const placed = new StagedLedger(ledger).place(decision.changes)
        ledger.apply(block)
        return { applied: true, snapshotId: snapshotId(), placed }
      }),
    rollBack: (toBlock, check) =>
      Effect.gen(function*() {
        yield* Effect.fromResult(check(ledger))
        rolledBack.push(toBlock)
        const { lastBatchNum, lastBlock } = ledger
        return { toBlock, lastBlock, blocks: 0, batches: 0, lastBatchNum, snapshotId: snapshotId() }
      }),
    setPrices: (_, check) => Effect.map(Effect.fromResult(check(ledger)), snapshotId),
    setHead: (head, check) =>
      Effect.map(Effect.fromResult(check(ledger)), () => {
        ledger.head = head
        return snapshotId()
      })
  }
}

/** Opens a ledger at block 102. */
const open = () => {
  const fake = new FakeLedger()
  const rolledBack: Array<bigint> = []
  fake.apply(block101)
  fake.apply(block102)
  const layer = Ledger.layer(genesis, keccak256).pipe(
    Layer.provide(Layer.succeed(LedgerWriter, writerOf(fake, rolledBack)))
  )
  return { fake, rolledBack, layer }
}

const refusalOf = (record: FeedRecord) =>
  Effect.gen(function*() {
    const { layer, rolledBack } = open()
    const result = yield* Ledger.use((ledger) => ledger.applyRecord(record)).pipe(
      Effect.provide(layer),
      Effect.result
    )
    assert.deepStrictEqual(rolledBack, [])
    if (Result.isSuccess(result) || result.failure._tag !== "BlockViolation") {
      return assert.fail("the record was accepted")
    }
    return [result.failure.invariant, result.failure.pointer, result.failure.value]
  })

describe("Ledger", () => {
  it.effect("a feed is applied record by record, and a repeated block is reported", () =>
    Effect.gen(function*() {
      const { fake, layer } = open()
      const records: ReadonlyArray<FeedRecord> = [
        { kind: "genesis", genesis: structuredClone(genesis) },
        ...chain.map((block) => ({ kind: "block", block }) as const),
        { kind: "prices", prices: [{ tokenId: 1, priceUSD: 5, timeMs: 0 }] }
      ]
      const reports = yield* Ledger.use((ledger) => Effect.forEach(records, ledger.applyRecord))
        .pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        reports.map((report) => report.kind === "block" ? report.applied : report.kind),
        [
          "genesis",
          false,
          false,
          true,
          true,
          true,
          true,
          "prices"
        ]
      )
      assert.strictEqual(fake.lastBlock.number, 106n)
    }))

  it.effect("a rollback names the genesis block or any later number, stored or not", () =>
    Effect.gen(function*() {
      const { layer, rolledBack } = open()
      const numbers = [(1n << 64n) - 1n, 103n, 102n, 101n, 100n]
      yield* Ledger.use((ledger) => Effect.forEach(numbers, ledger.rollBack)).pipe(
        Effect.provide(layer)
      )
      assert.deepStrictEqual(rolledBack, numbers)
    }))

  it.effect("a rollback below the genesis block, or to no block number, is refused", () =>
    Effect.gen(function*() {
      const toBlock = 1n << 64n
      assert.deepStrictEqual(yield* refusalOf({ kind: "rollBack", toBlock }), [
        "roll-back-block",
        "/toBlock",
        `${toBlock}`
      ])
      assert.deepStrictEqual(yield* refusalOf({ kind: "rollBack", toBlock: 99n }), [
        "roll-back-block",
        "/toBlock",
        "99"
      ])
    }))

  it.effect("a rollback to a value that is not a block number is refused", () =>
    Effect.gen(function*() {
      for (const toBlock of [102, "102", null, undefined]) {
        const record = { kind: "rollBack", toBlock } as unknown as FeedRecord
        assert.deepStrictEqual(yield* refusalOf(record), ["shape", "/toBlock", String(toBlock)])
      }
    }))

  it.effect("a record of an unknown kind is refused", () =>
    Effect.gen(function*() {
      for (
        const [record, kind] of [[{ kind: "blocks" }, "blocks"], [{}, "undefined"], [
          null,
          "undefined"
        ], [7, "undefined"]]
      ) {
        assert.deepStrictEqual(yield* refusalOf(record as FeedRecord), ["shape", "/kind", kind])
      }
    }))

  it.effect("invalid prices and an invalid genesis are refused", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* refusalOf({ kind: "prices" } as unknown as FeedRecord), [
        "shape",
        "/prices",
        "undefined"
      ])
      assert.deepStrictEqual(yield* refusalOf({ kind: "genesis" } as unknown as FeedRecord), [
        "shape",
        "/genesis",
        "undefined"
      ])
      const negative = { ...genesis, block: { ...genesis.block, number: -1n } }
      assert.deepStrictEqual(yield* refusalOf({ kind: "genesis", genesis: negative }), [
        "shape",
        "/genesis/block/number",
        "-1"
      ])
    }))

  it.effect("a ledger does not open with a genesis that no feed could contain", () =>
    Effect.gen(function*() {
      const { auction } = genesis.constants
      const late = { ...genesis, block: { ...genesis.block, number: 100n + 10n * (1n << 32n) } }
      const crowded = {
        ...genesis,
        constants: {
          ...genesis.constants,
          auction: { ...auction, genesisBlockNum: (1n << 64n) - 1n }
        }
      }
      for (
        const [opened, pointer] of [[late, "/genesis/block/number"], [
          crowded,
          "/genesis/constants/auction/genesisBlockNum"
        ]] as const
      ) {
        const layer = Ledger.layer(opened, keccak256).pipe(
          Layer.provide(Layer.succeed(LedgerWriter, writerOf(new FakeLedger(), [])))
        )
        const exit = yield* Effect.exit(Effect.provide(Ledger, layer))
        const defect = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
        assert.strictEqual(defect instanceof BlockViolation && defect.pointer, pointer)
      }
    }))

  it.effect("the price of an unknown token and an invalid price are refused", () =>
    Effect.gen(function*() {
      const known = { tokenId: 1, priceUSD: 1, timeMs: 0 }
      const prices = [known, { ...known, tokenId: 2 }]
      assert.deepStrictEqual(yield* refusalOf({ kind: "prices", prices }), [
        "token-exists",
        "/prices/1/tokenId",
        "2"
      ])
      const negative = [{ ...known, priceUSD: -1 }]
      assert.deepStrictEqual(yield* refusalOf({ kind: "prices", prices: negative }), [
        "shape",
        "/prices/0/priceUSD",
        "-1"
      ])
    }))

  it.effect("a block that contradicts the ledger is refused", () =>
    Effect.gen(function*() {
      const block = { ...block102, hash: hashOf(1n) }
      assert.deepStrictEqual(yield* refusalOf({ kind: "block", block }), [
        "block-hash",
        "/hash",
        hashOf(1n)
      ])
    }))

  it.effect("the feed of another network is refused with the difference", () =>
    Effect.gen(function*() {
      const other = { ...genesis, network: { ...genesis.network, chainId: 5 } }
      assert.deepStrictEqual(yield* refusalOf({ kind: "genesis", genesis: other }), [
        "genesis",
        "/genesis/network/chainId",
        "5"
      ])
      const { rollup } = genesis.variables
      const shorter = {
        ...genesis,
        variables: { ...genesis.variables, rollup: { ...rollup, buckets: rollup.buckets.slice(1) } }
      }
      assert.deepStrictEqual(yield* refusalOf({ kind: "genesis", genesis: shorter }), [
        "genesis",
        "/genesis/variables/rollup/buckets/1",
        "nothing"
      ])
    }))
})
