import type { Effect } from "effect"
import type { NotRegistered, StoreFailure } from "./failures.ts"
import type { LedgerReader } from "./ledger_reader.ts"
import type { LedgerStamp } from "./ledger_parts.ts"

type Reader = LedgerReader["Service"]

/**
 * Returns a reader whose answers come from `answer`: it gets a function that makes the same call of
 * another reader, and one that returns the stamp of what that answers.
 */
export const mapReader = (
  answer: <A, E extends NotRegistered | StoreFailure>(
    call: (reader: Reader) => Effect.Effect<A, E>,
    stampOf: (answer: A) => LedgerStamp
  ) => Effect.Effect<A, E | StoreFailure>
): Reader => {
  const stampIn = ({ stamp }: { readonly stamp: LedgerStamp }) => stamp
  return {
    list: (name, query) => answer((reader) => reader.list(name, query), stampIn),
    find: (name, key) => answer((reader) => reader.find(name, key), stampIn),
    accountsAndTokens: (of) => answer((reader) => reader.accountsAndTokens(of), stampIn),
    state: answer((reader) => reader.state, stampIn),
    stamp: answer((reader) => reader.stamp, (stamp) => stamp)
  }
}
