import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { makeLedgerReader } from "../../adapters/sql/reads/ledger_reader.ts"
import { bulkLoad, type BulkRecord } from "../../app/commands/ingest.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { BlockFeed } from "../../core/domain/mod.ts"
import { decideBlockWithChecks, type ExitTreeBuilder } from "../../core/mod.ts"
import { rememberedExitTree, strippedBlock, strippedRecord } from "./_stripped.ts"
import { contents, writerDatabase } from "../sql/_writer_database.ts"

const simulation = simulate({
  seed: "derived",
  users: 12,
  placeholderRoots: true,
  rollBackPeriodBlocks: 0,
  exitShare: 0.3
})
const { genesis } = simulation
const records: Array<BulkRecord> = []
const hasExits = ({ batches = [] }: BlockFeed) => batches.some(({ exits }) => exits!.length > 0)
for (let withExits = 0; withExits < 5;) {
  const record = simulation.next()
  if (record.kind === "block") withExits += hasExits(record.block) ? 1 : 0
  if (record.kind === "block" || record.kind === "prices") records.push(record)
}
const stripped = records.map((record) => strippedRecord(record) as BulkRecord)
const lastWithExits = records.findLastIndex((record) =>
  record.kind === "block" && hasExits(record.block)
)

const open = Effect.tap(writerDatabase, ({ open }) => open(genesis))
const load = ({ values, writer: { applyAll } }: Effect.Success<typeof writerDatabase>) =>
  bulkLoad({ applyAll }, genesis, makeLedgerReader(values, { genesis }).snapshotId)

describe("a feed without derived values", () => {
  it.live("gives the rows of the whole feed when it is loaded, and when each block is written by itself", () =>
    Effect.scoped(Effect.gen(function*() {
      const [whole, bulk, single] = [yield* open, yield* open, yield* open]
      yield* (yield* load(whole))(records)
      yield* (yield* load(bulk))(stripped)
      const writes = { ledger: ["last_write"] }
      const expected = yield* contents(whole.sql, writes)
      assert.deepStrictEqual(yield* contents(bulk.sql, writes), expected)
      const loadOne = yield* load(single)
      for (const record of stripped) yield* loadOne([record])
      assert.deepStrictEqual((yield* contents(single.sql, writes)).exit, expected.exit)
    })))

  it.live("with a wrong exit root is loaded up to the block before", () =>
    Effect.scoped(Effect.gen(function*() {
      const database = yield* open
      const loadAll = yield* load(database)
      const { block } = stripped[lastWithExits] as Extract<BulkRecord, { readonly kind: "block" }>
      const wrong = {
        ...block,
        batches: block.batches!.map((batch) =>
          batch.exitRoot === 0n ? batch : { ...batch, exitRoot: batch.exitRoot - 1n }
        )
      }
      const refused = yield* Effect.flip(
        loadAll(stripped.with(lastWithExits, { kind: "block", block: wrong }))
      )
      assert.propertyVal(refused, "invariant", "exit-root")
      assert.include(refused.message, `Block ${block.number}`)
      assert.deepStrictEqual(
        yield* database.sql.unsafe("SELECT max(number)::text AS last FROM block"),
        [{ last: String(block.number - 1n) }]
      )
      yield* loadAll(stripped.slice(lastWithExits))
    })))
})

describe("a block whose exits are derived", () => {
  const rules = { constants: genesis.constants, keccak256 }
  const counting = () => {
    const counts = { built: 0 }
    const buildExitTrees: ExitTreeBuilder = (batches) =>
      Effect.suspend(() => {
        counts.built++
        return Effect.as(Effect.sleep(20), batches.map(rememberedExitTree))
      })
    return { counts, buildExitTrees }
  }
  const [before, { block }] = [
    records.slice(0, lastWithExits),
    records[lastWithExits] as Extract<BulkRecord, { readonly kind: "block" }>
  ]

  it.live("is decided again if its transaction fails, and stored once", () =>
    Effect.scoped(Effect.gen(function*() {
      const database = yield* open
      const { sql, writer } = database
      yield* (yield* load(database))(before)
      yield* sql.unsafe("CREATE SEQUENCE conflicts")
      yield* sql.unsafe(`CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF nextval('conflicts') <= 2 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
  RETURN NEW;
END $$`)
      yield* sql.unsafe(
        "CREATE TRIGGER conflict BEFORE INSERT ON block FOR EACH ROW EXECUTE FUNCTION conflict()"
      )
      const { buildExitTrees, counts } = counting()
      const decide = decideBlockWithChecks(rules, { buildExitTrees }, strippedBlock(block))
      assert.isTrue((yield* writer.port.apply(block, decide)).applied)
      assert.strictEqual(counts.built, 3)
      assert.isFalse((yield* writer.port.apply(block, decide)).applied)
      assert.strictEqual(counts.built, 3)
    })))

  it.live("is stored once if several calls apply it at the same time", () =>
    Effect.scoped(Effect.gen(function*() {
      const database = yield* open
      yield* (yield* load(database))(before)
      const { buildExitTrees, counts } = counting()
      const results = yield* Effect.forEach(
        [1, 2, 3],
        () =>
          database.writer.port.apply(
            block,
            decideBlockWithChecks(rules, { buildExitTrees }, strippedBlock(block))
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.map(({ applied }) => applied).sort(), [false, false, true])
      assert.strictEqual(counts.built, 1)
      const whole = yield* open
      yield* (yield* load(whole))(before)
      yield* (yield* load(whole))([{ kind: "block", block }])
      assert.deepStrictEqual(
        (yield* contents(database.sql)).exit,
        (yield* contents(whole.sql)).exit
      )
    })))
})
