import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import type { BlockChanges, BlockFeed } from "../../../core/domain/mod.ts"
import type { PriorLedger } from "../../../core/ports/mod.ts"
import { decideBlock } from "../../../core/use_cases/mod.ts"
import { contents, writerDatabase } from "../_writer_database.ts"

/* The guarantees of the PostgreSQL writer beyond the laws of every store. */

const simulation = simulate({
  seed: "writer",
  users: 12,
  exitShare: 0.1,
  placeholderRoots: true,
  rollBackPeriodBlocks: 0
})
const { genesis } = simulation
const blocks = Array.from({ length: 50 }, () => simulation.next())
  .flatMap((record) => record.kind === "block" ? [record.block] : [])

const deciding = (block: BlockFeed) =>
  decideBlock({ constants: genesis.constants, keccak256 }, block)

/** Opens a ledger with some blocks. */
const ledgerWith = Effect.fnUntraced(function*(written: ReadonlyArray<BlockFeed>) {
  const { open, sql, writer: { port } } = yield* writerDatabase
  yield* open(genesis)
  for (const block of written) yield* port.apply(block, deciding(block))
  return { port, sql }
})

describe("the writer over PostgreSQL", () => {
  it.live("changes nothing if a decision violates a constraint of the tables, and continues", () =>
    Effect.scoped(Effect.gen(function*() {
      const { port, sql } = yield* ledgerWith(blocks.slice(0, -1))
      const before = yield* contents(sql)
      const next = blocks.at(-1)!
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
          port.apply(
            next,
            (prior) =>
              Result.map(
                deciding(next)(prior),
                (decision) =>
                  decision.kind === "store"
                    ? { ...decision, changes: broken(decision.changes) }
                    : decision
              )
          )
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* contents(sql), before)
      }
      assert.isTrue(
        (yield* port.apply(next, deciding(next))).applied
      )
    })))

  it.live("stores names with NUL and half a surrogate pair unchanged", () =>
    Effect.scoped(Effect.gen(function*() {
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
      assert.isTrue((yield* port.apply(block, deciding(block))).applied)
      // a block that contains them loads them into the staged
      const naming: BlockFeed = {
        number: block.number + 1n,
        hash: `0x${"2".repeat(64)}`,
        parentHash: block.hash,
        timestampMs: block.timestampMs,
        prices: texts.map((_, i) => ({ tokenId: i + 1, priceUSD: i, timeMs: 0 })),
        bids: texts.map((_, i) => ({ slotNum: i, bidderAddr: address(i + 1), bidValue: 1n }))
      }
      yield* port.apply(naming, (prior: PriorLedger) => {
        for (const [i, text] of texts.entries()) {
          assert.deepInclude(prior.token(i + 1), { name: text, symbol: `${text}${text}` })
          assert.deepInclude(prior.registration(address(i + 1)), { url: text })
        }
        assert.strictEqual(prior.variables.auction.bootCoordinatorUrl, texts.join(""))
        return deciding(naming)(prior)
      })
    })))

  it.live("opens a ledger once, also for processes that start together, and refuses another network with its name", () =>
    Effect.scoped(Effect.gen(function*() {
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
      const { sql } = yield* ledgerWith(blocks)
      const before = yield* contents(sql)
      for (const [name, statement] of refused) {
        const exit = yield* Effect.exit(sql.unsafe(statement))
        assert.isTrue(Exit.isFailure(exit), name)
      }
      assert.deepStrictEqual(yield* contents(sql), before)
    })))
})
