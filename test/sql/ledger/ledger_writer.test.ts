import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import type { BulkWrite } from "../../../adapters/sql/mod.ts"
import { openMemoryLedger } from "../../../adapters/memory/mod.ts"
import { simulate, type Simulation, type SimulationOptions } from "../../../app/simulator/mod.ts"
import type { BlockChanges, BlockFeed, FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import type { LedgerView } from "../../../core/ports/mod.ts"
import { type BlockViolation, decideBlock } from "../../../core/use_cases/mod.ts"
import { SeededRandom } from "../../laws/_seeded_random.ts"
import { replayOf, rounds } from "../../rounds.ts"
import { isSingle, misfiled } from "../_posting_rows.ts"
import { contents, writerDatabase, type WriterDatabase } from "../_writer_database.ts"

/*
 * The guarantees of the PostgreSQL writer beyond the laws of every store. To replay one network:
 *
 *     SEED=123 npm test -- test/sql/ledger/ledger_writer.test.ts
 */

const seed = process.env.SEED ?? "1"
const replay = `replay: ${replayOf(seed, "test/sql/ledger/ledger_writer.test.ts")}`

const networks: ReadonlyArray<SimulationOptions> = [
  {
    seed: `${seed} many of everything`,
    placeholderRoots: true,
    users: 12,
    rollBackPeriodBlocks: 8,
    exitShare: 0.1
  },
  {
    seed: `${seed} few accounts`,
    placeholderRoots: true,
    users: 8,
    tokens: 2,
    coordinators: 2,
    transactionsPerBlock: 60,
    rollBackPeriodBlocks: 12
  }
]

/** The simulated records of each network, which is continued if a test needs more. */
const simulated = new Map<
  string,
  { readonly simulation: Simulation; readonly records: Array<FeedRecord> }
>()

const recordsOf = (options: SimulationOptions, length: number) => {
  const name = JSON.stringify(options)
  const { records, simulation } = simulated.get(name) ??
    { simulation: simulate(options), records: [] }
  simulated.set(name, { records, simulation })
  while (records.length < length) records.push(simulation.next())
  return { genesis: simulation.genesis, records: records.slice(0, length) }
}

const deciding = ({ constants }: GenesisFeed) => (block: BlockFeed) =>
  decideBlock({ constants, keccak256 }, block)
const writing = (genesis: GenesisFeed) => (block: BlockFeed): BulkWrite<BlockViolation> => ({
  kind: "block",
  block,
  decide: deciding(genesis)(block)
})
const allow = () => Result.void

/**
 * Plays records, blocks and prices between two rollbacks in groups of random sizes, at most
 * `groupMax`.
 */
const play = (
  testDatabase: WriterDatabase,
  genesis: GenesisFeed,
  records: ReadonlyArray<FeedRecord>,
  groupMax: number
) =>
  Effect.orDie(Effect.gen(function*() {
    const { port, applyAll } = testDatabase.writer
    const random = new SeededRandom(`${seed} ${groupMax}`)
    let waiting: Array<BulkWrite<BlockViolation>> = []
    const flush = Effect.suspend(() => {
      const group = waiting
      waiting = []
      return group.length === 0 ? Effect.void : Effect.asVoid(applyAll(group))
    })
    for (const record of records) {
      if (record.kind === "block" || record.kind === "prices") {
        waiting.push(
          record.kind === "block"
            ? writing(genesis)(record.block)
            : { kind: "prices", prices: record.prices, check: allow }
        )
        if (waiting.length >= 1 + random.below(groupMax)) yield* flush
        continue
      }
      yield* flush
      if (record.kind === "rollBack") yield* port.rollBack(record.toBlock, allow)
    }
    yield* flush
  }))

/**
 * Columns that differ between groups and single writes: ids of writes, and how often tokens
 * changed.
 */
const ofOneWay = {
  ledger: ["last_write", "token_version", "part_versions"],
  rollback: ["time_ms"],
  token: ["version"]
}
/** Item ids and versions are not reused. */
const notGivenBack = {
  ledger: [
    ...ofOneWay.ledger,
    "version",
    "next_account",
    "next_exit",
    "next_transaction",
    "next_batch",
    "next_bid",
    "next_token",
    "next_coordinator"
  ],
  token: ["version"],
  // items that a row has passed to the combined lists stay there
  posting: ["filed"]
}
/** A rollback adds its own row. */
const ofBlocks = { posting: isSingle("r.key"), rollback: "false" }

describe(`the writer over PostgreSQL (${replay})`, () => {
  for (const network of rounds({ short: networks.slice(0, 1), long: networks })) {
    it.live(`stores the same rows for blocks in groups and one by one: ${network.seed}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { genesis, records } = recordsOf(network, 90)
        const [single, grouped] = [yield* writerDatabase, yield* writerDatabase]
        for (const testDatabase of [single, grouped]) yield* testDatabase.open(genesis)
        yield* play(single, genesis, records, 1)
        yield* play(grouped, genesis, records, 12)
        const expected = yield* contents(single.sql, ofOneWay)
        assert.isAbove(expected.posting!.length, 100)
        assert.deepStrictEqual(yield* contents(grouped.sql, ofOneWay), expected)
      })))

    it.live(`a rollback leaves the rows of a ledger without these blocks, except versions and next item ids: ${network.seed}`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { genesis, records } = recordsOf({ ...network, rollBackPeriodBlocks: 0 }, 80)
        const testDatabase = yield* writerDatabase
        yield* testDatabase.open(genesis)
        const random = new SeededRandom(`${seed} depth`)
        let played = 0
        let blockNum = genesis.block.number
        while (played < 50) {
          // prices after the last block belong to it and stay
          const replayed = records.slice(played, played + 1 + random.below(12))
          yield* play(testDatabase, genesis, replayed, 3)
          played += replayed.length
          for (const record of replayed) if (record.kind === "block") blockNum = record.block.number
          const before = yield* contents(testDatabase.sql, notGivenBack, ofBlocks)
          yield* play(
            testDatabase,
            genesis,
            records.slice(played, played + 1 + random.below(25)).filter(({ kind }) =>
              kind === "block"
            ),
            5
          )
          yield* testDatabase.writer.port.rollBack(blockNum, allow)
          assert.deepStrictEqual(
            yield* contents(testDatabase.sql, notGivenBack, ofBlocks),
            before
          )
          assert.strictEqual(yield* misfiled(testDatabase.sql), 0)
        }
      })))
  }

  it.live("counts as memory does: snapshot ids, applied blocks and rolled back rows", () =>
    Effect.scoped(Effect.gen(function*() {
      const { genesis, records } = recordsOf(networks[0]!, 70)
      const { open, writer: { port } } = yield* writerDatabase
      yield* open(genesis)
      const memory = openMemoryLedger({ genesis })
      for (const record of records) {
        if (record.kind === "block") {
          const decide = decideBlock({ constants: genesis.constants, keccak256 }, record.block)
          assert.deepStrictEqual(
            yield* port.apply(record.block, decide),
            Result.getOrThrow(memory.apply(decide))
          )
        }
        if (record.kind === "rollBack") {
          assert.deepStrictEqual(
            yield* port.rollBack(record.toBlock, allow),
            Result.getOrThrow(memory.rollBack(record.toBlock, allow, { timeMs: 0 }))
          )
        }
        if (record.kind === "prices") {
          assert.deepStrictEqual(
            yield* port.setPrices(record.prices, allow),
            Result.getOrThrow(memory.setPrices(record.prices, allow))
          )
        }
      }
    })))

  it.live("stores the blocks before a refused one, and fails with its reason", () =>
    Effect.scoped(Effect.gen(function*() {
      const { genesis, records } = recordsOf({ ...networks[0]!, rollBackPeriodBlocks: 0 }, 30)
      const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
      const { open, sql, writer } = yield* writerDatabase
      yield* open(genesis)
      const broken = blocks.map((block, i) =>
        i === 3 ? { ...block, parentHash: `0x${"5".repeat(64)}` } : block
      )
      const refused = yield* Effect.flip(writer.applyAll(broken.map(writing(genesis))))
      assert.propertyVal(refused, "invariant", "parent-hash")
      assert.deepStrictEqual(yield* sql.unsafe("SELECT ethereum_block_num FROM ledger"), [{
        ethereum_block_num: String(blocks[2]!.number)
      }])
      const applied = yield* writer.applyAll(blocks.slice(0, 5).map(writing(genesis)))
      assert.deepStrictEqual(applied.map((each) => each.applied), [false, false, false, true, true])
    })))

  it.live("changes nothing if a decision violates a constraint of the tables, and continues", () =>
    Effect.scoped(Effect.gen(function*() {
      const { genesis, records } = recordsOf({ ...networks[0]!, rollBackPeriodBlocks: 0 }, 30)
      const testDatabase = yield* writerDatabase
      yield* testDatabase.open(genesis)
      yield* play(testDatabase, genesis, records.slice(0, 20), 1)
      const before = yield* contents(testDatabase.sql)
      const next = records.slice(20).find((record) => record.kind === "block")!
      for (
        const broken of [
          (changes: BlockChanges) => ({ ...changes, block: { ...changes.block, number: 1n } }),
          (changes: BlockChanges) => ({ ...changes, block: { ...changes.block, hash: "0x55" } }),
          (changes: BlockChanges) => ({
            ...changes,
            queued: [...changes.queued, { id: "0x00", l1: null } as never]
          }),
          (changes: BlockChanges) => ({
            ...changes,
            withdrawals: [{
              batchNum: 4_000_000,
              accountIndex: 256,
              field: "instantWithdrawn" as const
            }]
          })
        ]
      ) {
        const exit = yield* Effect.exit(
          testDatabase.writer.port.apply(
            next.block,
            (view) =>
              Result.map(
                deciding(genesis)(next.block)(view),
                (decision) =>
                  decision.kind === "store"
                    ? { ...decision, changes: broken(decision.changes) }
                    : decision
              )
          )
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* contents(testDatabase.sql), before)
      }
      assert.isTrue(
        (yield* testDatabase.writer.port.apply(next.block, deciding(genesis)(next.block))).applied
      )
    })))

  it.live("stores names with NUL and half a surrogate pair unchanged", () =>
    Effect.scoped(Effect.gen(function*() {
      const { genesis } = recordsOf(networks[0]!, 0)
      const texts = ["\0", "a\ud800", "\udc00b", "😀\\u0000", "\\", '"{},NULL', "NULL", "", "'\n\t"]
      const { open, writer: { port } } = yield* writerDatabase
      const genesisWithNames = {
        ...genesis,
        network: { ...genesis.network, name: "\0\ud800" },
        variables: {
          ...genesis.variables,
          auction: { ...genesis.variables.auction, bootCoordinatorUrl: "\0\udfff" }
        }
      }
      yield* open(genesisWithNames)
      yield* open(genesisWithNames)
      const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}`
      const block: BlockFeed = {
        number: genesis.block.number + 1n,
        hash: `0x${"1".repeat(64)}`,
        parentHash: genesis.block.hash,
        timestampMs: genesis.block.timestampMs,
        tokens: texts.map((text, i) => ({
          id: i + 1,
          ethereumAddress: address(i + 1),
          name: text,
          symbol: `${text}${text}`,
          decimals: 18
        })),
        coordinators: texts.map((text, i) => ({
          bidderAddr: address(i + 1),
          forgerAddr: address(100 + i),
          url: text
        })),
        auctionVariables: { ...genesis.variables.auction, bootCoordinatorUrl: texts.join("") }
      }
      assert.isTrue((yield* port.apply(block, deciding(genesis)(block))).applied)
      // a block that contains them loads them into the staged
      const naming: BlockFeed = {
        number: block.number + 1n,
        hash: `0x${"2".repeat(64)}`,
        parentHash: block.hash,
        timestampMs: block.timestampMs,
        prices: texts.map((_, i) => ({ tokenId: i + 1, priceUSD: i, timeMs: 0 })),
        bids: texts.map((_, i) => ({ slotNum: i, bidderAddr: address(i + 1), bidValue: 1n }))
      }
      yield* port.apply(naming, (view: LedgerView) => {
        for (const [i, text] of texts.entries()) {
          assert.deepInclude(view.token(i + 1), { name: text, symbol: `${text}${text}` })
          assert.deepInclude(view.registration(address(i + 1)), { url: text })
        }
        assert.strictEqual(view.variables.auction.bootCoordinatorUrl, texts.join(""))
        return deciding(genesis)(naming)(view)
      })
    })))

  it.live("opens a ledger once, also for processes that start together, and refuses another network with its name", () =>
    Effect.scoped(Effect.gen(function*() {
      const { genesis } = recordsOf(networks[0]!, 0)
      const { open, sql } = yield* writerDatabase
      yield* Effect.all(Array.from({ length: 4 }, () => open(genesis)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        yield* sql.unsafe(
          "SELECT (SELECT count(*)::int FROM block) AS blocks, (SELECT count(*)::int FROM token) AS tokens"
        ),
        [{ blocks: 1, tokens: 1 }]
      )
      const error = yield* Effect.flip(
        open({ ...genesis, network: { ...genesis.network, chainId: 7 } })
      )
      assert.propertyVal(error, "reason", "otherNetwork")
      assert.match(error.message, /of chain 1337 at .*, not of .* of chain 7 at /u)
    })))
})

describe("the tables", () => {
  const refused: ReadonlyArray<readonly [name: string, statement: string]> = [
    ["a second ledger", "INSERT INTO ledger SELECT * FROM ledger"],
    ["a hash of 31 bytes", "UPDATE block SET hash = substring(hash FROM 2)"],
    ["a balance below zero", "UPDATE account SET balance = -1"],
    ["an account below 256", "UPDATE account SET account_index = 255 WHERE account_index = 256"],
    ["an exit of less than nothing", "UPDATE exit SET balance = -1"],
    ["a transaction of both layers", "UPDATE transaction SET fee = 1, nonce = 1 WHERE user_origin"],
    [
      "a transaction of no layer",
      "UPDATE transaction SET fee = NULL, nonce = NULL WHERE fee IS NOT NULL"
    ],
    [
      "two transactions with the same id",
      "UPDATE transaction SET id = (SELECT id FROM transaction ORDER BY item_id LIMIT 1)"
    ],
    ["a batch of a block that is not there", "UPDATE batch SET ethereum_block_num = 1"],
    [
      "a block that is removed without its batch",
      "DELETE FROM block WHERE number = (SELECT min(ethereum_block_num) FROM batch)"
    ],
    [
      "a posting row that does not begin with its first item",
      "UPDATE posting SET first_item = first_item + 1"
    ],
    ["a count of nothing", "UPDATE open_count SET items = 0"],
    ["a price below zero", "UPDATE token SET price_usd = -1"]
  ]
  it.live("refuse impossible rows", () =>
    Effect.scoped(Effect.gen(function*() {
      const { genesis, records } = recordsOf(networks[0]!, 60)
      const testDatabase = yield* writerDatabase
      yield* testDatabase.open(genesis)
      yield* play(testDatabase, genesis, records, 8)
      const before = yield* contents(testDatabase.sql)
      for (const [name, statement] of refused) {
        const exit = yield* Effect.exit(testDatabase.sql.unsafe(statement))
        assert.isTrue(Exit.isFailure(exit), name)
      }
      assert.deepStrictEqual(yield* contents(testDatabase.sql), before)
    })))
})
