import { Effect } from "effect"
import type { PoolTransaction } from "../../core/domain/mod.ts"
import type { PoolChange, PoolStore } from "../../core/ports/mod.ts"
import type { Ledger } from "../../core/use_cases/mod.ts"
import type { LazyFeed } from "./_feed.ts"

export interface ScriptStores {
  readonly ledger: Ledger["Service"]
  readonly store: PoolStore["Service"]
}

/** A write, and the names of what it creates; some writes of a script run concurrently. */
export type Write = (to: ScriptStores) => Effect.Effect<unknown>

/**
 * The same writes for a child and a model: those of one step run concurrently, the steps one after
 * the other.
 */
export type Script = Generator<ReadonlyArray<Write>, void>

/** Maximum number of writes in a step. */
export const CONCURRENT_MAX = 8

/**
 * Yields ingest, submission, forging and rollback in an order that depends on the seed; ends with
 * the feed.
 */
export function* scriptOf(feed: LazyFeed, seed: string): Script {
  const chance = chanceOf(seed)
  const below = (limit: number) => Math.floor(chance() * limit)
  const pending: Array<number> = []
  const forging: Array<{ readonly number: number; readonly batchNum: number }> = []
  let [posted, record, atMs, mark] = [0, 0, 1_000_000, 0]
  while (record < feed.length) {
    atMs += 1 + below(50)
    switch (below(6)) {
      case 0:
      case 1: {
        const place = record++
        yield [({ ledger }) => Effect.orDie(ledger.applyRecord(feed.at(place)))]
        break
      }
      case 2:
      case 3: {
        const numbers = Array.from({ length: 1 + below(CONCURRENT_MAX) }, () => posted++)
        pending.push(...numbers)
        const time = atMs
        yield numbers.map((number): Write => ({ store }) =>
          number % 5 === 0
            ? Effect.orDie(
              store.addAuthorization({
                address: addressOf(number),
                publicKey: keyOf(number),
                signature: `0x${"1".repeat(130)}`,
                timestampMs: time
              })
            )
            : Effect.orDie(
              store.addTransaction(transactionOf(number, time), keyOf(number), {
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
          batchNum: mark + 1
        }))
        forging.push(...selected)
        const [time, notes] = [
          atMs,
          pending.slice(0, 3).map((number) =>
            ({
              id: idOf(number),
              code: 11,
              reason: `Zürich 🏔 \u0000 "${number}"`,
              batchNum: mark + 1,
              atMs
            }) as const
          )
        ]
        yield [
          ({ store }) =>
            Effect.orDie(
              store.change(
                selected.map(({ batchNum, number }) =>
                  moved(number, "pend", null, "fing", batchNum)
                ),
                time
              )
            ),
          ({ store }) => Effect.orDie(store.skip(notes))
        ]
        break
      }
      default: {
        const done = forging.splice(0, below(20))
        const back = below(4) === 0
        const [time, from, to] = [
          atMs,
          markOf(mark),
          markOf(back ? Math.max(1, mark - 2) : mark + 1)
        ]
        mark = to!.batchNum
        const changes = done.map(({ batchNum, number }) =>
          back
            ? moved(number, "fing", batchNum, "pend", null)
            : moved(number, "fing", batchNum, "fged", batchNum)
        )
        yield [({ store }) => Effect.orDie(store.settle({ from, to, changes }, time))]
      }
    }
  }
}

/** Returns every name that a script may use. */
export const namesOf = (posted: number) => ({
  transactions: new Set(Array.from({ length: posted }, (_, number) => idOf(number))),
  addresses: new Set(Array.from({ length: posted }, (_, number) => addressOf(number)))
})

const markOf = (batchNum: number) =>
  batchNum === 0 ? null : { batchNum, ethereumBlockHash: `0x${batchNum}` }

const moved = (
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
  // more than a double can represent
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

/** Returns a function that returns numbers from 0 to below 1, which depend only on the seed. */
function chanceOf(seed: string): () => number {
  let state = [...seed].reduce(
    (sum, character) => (sum * 31 + character.charCodeAt(0)) % 2147483647,
    48271
  ) || 1
  return () => (state = state * 48271 % 2147483647) / 2147483647
}
