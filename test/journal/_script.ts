import { Effect, Exit } from "effect"
import {
  type FeedRecord,
  type GenesisFeed,
  type PoolTransaction,
  readFeedLine
} from "../../core/domain/mod.ts"
import type { PoolChange, PoolStore } from "../../core/ports/mod.ts"
import type { Ledger } from "../../core/use_cases/mod.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"
import { Heads } from "../properties/_heads.ts"

/** A feed whose records are decoded on demand. */
export interface LazyFeed {
  readonly genesis: GenesisFeed
  readonly length: number
  readonly at: (index: number) => FeedRecord
}

/** Returns the feed of a text. Throws if a line is invalid. */
export function readFeed(text: string): LazyFeed {
  const [first, ...lines] = text.trimEnd().split("\n")
  const genesis = recordOf(first!)
  if (genesis.kind !== "genesis") throw new Error("The feed does not start with a genesis")
  return { genesis: genesis.genesis, length: lines.length, at: (index) => recordOf(lines[index]!) }
}

function recordOf(line: string): FeedRecord {
  const record = readFeedLine(line)
  if (Exit.isFailure(record)) throw new Error(`The line ${line.slice(0, 80)} cannot be read`)
  return record.value
}

/** The stores that a script writes to. */
export interface WriteTarget {
  readonly ledger: Ledger["Service"]
  readonly store: PoolStore["Service"]
}

/** One write of a script. */
export type Write = (target: WriteTarget) => Effect.Effect<unknown>

/** The steps of a script, one after the other. The writes of a step are concurrent. */
export type Script = Generator<ReadonlyArray<Write>, void>

/** Maximum number of writes of a step. */
export const concurrentWritesMax = 8

/**
 * Returns a script of ingest with heads, submission, forging and rollback in random order, until the
 * feed ends.
 */
export function* scriptOf(feed: LazyFeed, seed: string): Script {
  const chance = seededRandom(`${seed} script`)
  const below = (limit: number) => Math.floor(chance() * limit)
  const heads = new Heads()
  const pending: Array<number> = []
  const forging: Array<{ readonly number: number; readonly batchNum: number }> = []
  let [submitted, recordIndex, atMs, reconciledBatchNum] = [0, 0, 1_000_000, 0]
  while (recordIndex < feed.length) {
    atMs += 1 + below(50)
    switch (below(6)) {
      case 0:
      case 1: {
        const record = feed.at(recordIndex++)
        for (const each of [...heads.before(record), record, ...heads.after(record)]) {
          yield [({ ledger }) => Effect.orDie(ledger.applyRecord(each))]
        }
        break
      }
      case 2:
      case 3: {
        const numbers = Array.from({ length: 1 + below(concurrentWritesMax) }, () => submitted++)
        pending.push(...numbers)
        const timeMs = atMs
        yield numbers.map((number): Write => ({ store }) =>
          number % 5 === 0
            ? Effect.orDie(
              store.addAuthorization({
                address: addressOf(number),
                publicKey: keyOf(number),
                signature: `0x${"1".repeat(130)}`,
                timestampMs: timeMs
              })
            )
            : Effect.orDie(
              store.addTransaction(transactionOf(number, timeMs), ownersOf(number), {
                pendingMax: 1e6,
                pendingPerAccountMax: 1e6
              })
            )
        )
        break
      }
      case 4: {
        const selected = pending.splice(0, below(12)).map((number) => ({
          number,
          batchNum: reconciledBatchNum + 1
        }))
        forging.push(...selected)
        const [timeMs, notes] = [
          atMs,
          pending.slice(0, 3).map((number) =>
            ({
              id: idOf(number),
              code: 11,
              reason: `Zürich 🏔 \u0000 "${number}"`,
              batchNum: reconciledBatchNum + 1,
              atMs
            }) as const
          )
        ]
        yield [
          ({ store }) =>
            Effect.orDie(
              store.change(
                selected.map(({ batchNum, number }) =>
                  changeTo(number, "pend", null, "fing", batchNum)
                ),
                timeMs
              )
            ),
          ({ store }) => Effect.orDie(store.skip(notes, selected.map(({ number }) => idOf(number))))
        ]
        break
      }
      default: {
        const reconciled = forging.splice(0, below(20))
        const isRollback = below(4) === 0
        const [timeMs, from, to] = [
          atMs,
          reconciledBatch(reconciledBatchNum),
          reconciledBatch(isRollback ? Math.max(1, reconciledBatchNum - 2) : reconciledBatchNum + 1)
        ]
        reconciledBatchNum = to!.batchNum
        const changes = reconciled.map(({ batchNum, number }) =>
          isRollback
            ? changeTo(number, "fing", batchNum, "pend", null)
            : changeTo(number, "fing", batchNum, "fged", batchNum)
        )
        yield [({ store }) => Effect.orDie(store.reconcile({ from, to, changes }, timeMs))]
      }
    }
  }
}

/** Returns the keys of the first transactions and authorizations of every script. */
export const keysOf = (count: number) => ({
  transactions: new Set(Array.from({ length: count }, (_, number) => idOf(number))),
  addresses: new Set(Array.from({ length: count }, (_, number) => addressOf(number)))
})

const reconciledBatch = (batchNum: number) =>
  batchNum === 0 ? null : { batchNum, ethereumBlockHash: `0x${batchNum}` }

const changeTo = (
  number: number,
  from: PoolChange["from"],
  fromBatchNum: number | null,
  to: PoolChange["to"],
  batchNum: number | null
): PoolChange => ({ id: idOf(number), from, fromBatchNum, to, batchNum, reason: `Moved to ${to}` })

const idOf = (number: number): string => `0x02${number.toString(16).padStart(64, "0")}`
const keyOf = (number: number): string => number.toString(16).padStart(64, "0")
const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`

const transactionOf = (number: number, timestampMs: number): PoolTransaction => ({
  id: idOf(number),
  type: "Exit",
  tokenId: number % 3,
  fromAccountIndex: 256 + number % 7,
  toAccountIndex: 1,
  toAddress: null,
  toPublicKey: null,
  // not exact as a double
  amount: 2n ** 90n + BigInt(number),
  fee: number % 192,
  nonce: 2n ** 39n + BigInt(number),
  signature: number.toString(16).padStart(128, "0"),
  request: number % 11 === 0
    ? {
      fromAccountIndex: 300,
      toAccountIndex: null,
      toAddress: addressOf(number),
      toPublicKey: null,
      tokenId: 0,
      amount: 2n ** 100n,
      fee: null,
      nonce: 3n
    }
    : null,
  state: "pend",
  timestampMs,
  batchNum: null
})

/** Returns a generator of numbers in [0, 1) that is determined by its seed. */
export function seededRandom(seed: string): () => number {
  const random = new SeededRandom(seed)
  return () => random.below(2 ** 32) / 2 ** 32
}
