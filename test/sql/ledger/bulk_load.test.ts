import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { BulkWriter, sqlStores } from "../../../adapters/sql/mod.ts"
import { bulkLoad, type BulkRecord } from "../../../app/commands/ingest.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import type { BlockFeed } from "../../../core/domain/mod.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { LedgerReader } from "../../../core/ports/mod.ts"
import { Ledger } from "../../../core/use_cases/mod.ts"
import { freshDatabase } from "../../postgres/mod.ts"
import { blockOf, chain } from "../../use_cases/_chain.ts"
import { genesis } from "../../use_cases/_network.ts"

const hasExits = ({ batches = [] }: BlockFeed) => batches.some(({ exits }) => exits!.length > 0)

/** Returns the same block with a wrong sibling in the first proof. */
const forged = (block: BlockFeed): BlockFeed => {
  const copy = structuredClone(block)
  const [first] = copy.batches!.flatMap(({ exits }) => exits!)
  const { siblings } = first!.merkleProof!
  Object.assign(siblings, [siblings[0] === 5n ? 6n : 5n])
  return copy
}

describe("loading a feed", () => {
  it.live("applies blocks and prices together; with an invalid exit proof or block it stores the records before it, once, and names the invalid one", () =>
    Effect.scoped(Effect.gen(function*() {
      const simulation = simulate({
        seed: "bulk",
        users: 12,
        placeholderRoots: true,
        rollBackPeriodBlocks: 0,
        exitShare: 0.3
      })
      const { genesis } = simulation
      const records: Array<BulkRecord> = []
      let withExits = 0
      while (withExits < 5 || !records.some(({ kind }) => kind === "prices")) {
        const record = simulation.next()
        if (record.kind === "block") withExits += hasExits(record.block) ? 1 : 0
        if (record.kind === "block" || record.kind === "prices") records.push(record)
      }
      const url = Redacted.make((yield* Effect.promise(freshDatabase)).url)
      const stores = yield* Layer.build(sqlStores({ url, genesis, maxConnections: 4 }))
      const { find, snapshotId } = Context.get(stores, LedgerReader)
      const load = yield* bulkLoad(Context.get(stores, BulkWriter), genesis, snapshotId)
      const last = Effect.map(snapshotId, ({ ethereumBlockNum }) => ethereumBlockNum)

      const at = records.findLastIndex((record) =>
        record.kind === "block" && hasExits(record.block)
      )
      const { block } = records[at] as Extract<BulkRecord, { readonly kind: "block" }>
      const refused = yield* Effect.flip(
        load(records.with(at, { kind: "block", block: forged(block) }))
      )
      assert.propertyVal(refused, "invariant", "exit-proof")
      assert.include(refused.message, `Block ${block.number}`)
      assert.strictEqual(yield* last, block.number - 1n)
      yield* load(records.slice(at))
      assert.strictEqual(yield* last, block.number)

      // the ledger has passed this head when it refuses the last block, and has a newer price
      const priced = (priceUSD: number) => [{ tokenId: 0, priceUSD, timeMs: 2e12 }]
      const { hash, number, timestampMs } = block
      const next = {
        number: number + 1n,
        hash: `0x${"1".repeat(64)}`,
        parentHash: hash,
        timestampMs,
        prices: priced(6)
      }
      const violation = yield* Effect.flip(load([
        { kind: "prices", prices: priced(5) },
        { kind: "head", head: { number, hash, timestampMs, chainHead: number } },
        { kind: "block", block: next },
        { kind: "block", block: { ...next, number: number + 2n, parentHash: hash } }
      ]))
      assert.include(violation.message, `Block ${number + 2n}`)
      assert.strictEqual((yield* find("token", 0)).item?.priceUSD, 6)
    })))

  it.live("stores a collection although a later block withdraws the collected exit again", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = Redacted.make((yield* Effect.promise(freshDatabase)).url)
      const stores = yield* Layer.build(sqlStores({ url, genesis, maxConnections: 4 }))
      const { find, snapshotId } = Context.get(stores, LedgerReader)
      const layer = Ledger.layer(genesis, keccak256).pipe(
        Layer.provide(Layer.succeedContext(stores))
      )
      const ledger = Context.get(yield* Layer.build(layer), Ledger)
      const [blocks, collecting] = [chain.slice(0, -1), chain.at(-1)!]
      for (const block of blocks) yield* ledger.applyBlock(block)
      const load = yield* bulkLoad(Context.get(stores, BulkWriter), genesis, snapshotId)
      const again = blockOf(107n, {
        withdrawals: [{ batchNum: 3, accountIndex: 257, instant: false }]
      })
      const refused = yield* Effect.flip(
        load([collecting, again].map((block) => ({ kind: "block", block })))
      )
      assert.propertyVal(refused, "invariant", "exit-open")
      assert.strictEqual((yield* snapshotId).ethereumBlockNum, 106n)
      const { item } = yield* find("exit", { batchNum: 3, accountIndex: 257 })
      assert.strictEqual(item?.exit.delayedWithdrawn, 106n)
    })))
})
