import { Effect } from "effect"
import type { AccountReferences, InputFault } from "../../contract/mod.ts"
import type { PostedTransaction } from "../../domain/mod.ts"
import { type AccountIndex, formatAccountIndex, isUserAccount } from "../../encoding/mod.ts"
import type { LedgerReader, StoreFailure } from "../../ports/mod.ts"
import type { AccountsOfPosted, Refuse } from "./_posted_rules.ts"

/** What the symbols in the account indexes of a transaction are compared with. */
interface SymbolsOptions {
  readonly prefix: string
  readonly reader: LedgerReader["Service"]
  readonly refuse: Refuse
}

/**
 * Returns the faults of account indexes whose symbol is not that of the account's token. Reserved
 * indexes, such as that of the exit, have any symbol; other rules refuse accounts that do not exist.
 */
export const symbolFaults = Effect.fnUntraced(function*(
  references: AccountReferences,
  { tokenId }: PostedTransaction,
  { receiver, sender, token }: AccountsOfPosted,
  { prefix, reader, refuse }: SymbolsOptions
): Effect.fn.Return<ReadonlyArray<InputFault>, StoreFailure> {
  const symbolOf = (index: AccountIndex) => {
    const account = [sender, receiver].find((each) => each?.index === index)
    return token !== null && account?.tokenId === tokenId
      ? Effect.succeed(token.symbol)
      : Effect.map(reader.find("account", index), ({ item }) => item?.token.symbol)
  }
  const faults: Array<InputFault> = []
  for (const [property, { index, symbol }] of Object.entries(references)) {
    if (!isUserAccount(index)) continue
    const right = yield* symbolOf(index)
    if (right === undefined || right === symbol) continue
    faults.push(
      refuse(
        property,
        formatAccountIndex(prefix, symbol, index),
        `${formatAccountIndex(prefix, right, index)}, the account with this number`
      )
    )
  }
  return faults
})
