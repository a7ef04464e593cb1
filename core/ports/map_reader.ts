import type { Effect } from "effect"
import type { NotRegistered, StoreFailure } from "./failures.ts"
import type { LedgerReader } from "./ledger_reader.ts"
import type { LedgerStamp } from "./ledger_parts.ts"

type Reader = LedgerReader["Service"]

/**
 * Returns a reader that passes each call to `answer`. `call` makes the same call with another
 * reader, and `stampOf` returns the stamp of the result.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { mapReader } from "rollup-node-api"
 * import { memoryReader, openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const reader = memoryReader(openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis }))
 * let newest: number | undefined
 * const tracking = mapReader((call, stampOf) =>
 *   Effect.tap(call(reader), (answer) => Effect.sync(() => newest = stampOf(answer).version)))
 * await Effect.runPromise(tracking.find("token", 0))
 * console.log(newest) // => 0
 * ```
 */
export const mapReader = (
  answer: <A, E extends NotRegistered | StoreFailure>(
    call: (reader: Reader) => Effect.Effect<A, E>,
    stampOf: (answer: A) => LedgerStamp
  ) => Effect.Effect<A, E | StoreFailure>
): Reader => {
  const stampOf = ({ stamp }: { readonly stamp: LedgerStamp }) => stamp
  return {
    list: (name, query) => answer((reader) => reader.list(name, query), stampOf),
    find: (name, key) => answer((reader) => reader.find(name, key), stampOf),
    accountsAndTokens: (of) => answer((reader) => reader.accountsAndTokens(of), stampOf),
    state: answer((reader) => reader.state, stampOf),
    stamp: answer((reader) => reader.stamp, (stamp) => stamp)
  }
}
