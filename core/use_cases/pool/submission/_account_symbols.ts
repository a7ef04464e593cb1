import { Effect } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import type { PostedTransaction } from "../../../domain/mod.ts"
import { type AccountIndex, formatAccountIndex, isUserAccount } from "../../../encoding/mod.ts"
import type { StoreFailure } from "../../../ports/mod.ts"
import type { AccountsOfPosted, PostRules } from "./_posted_rules.ts"
import type { SubmissionContext } from "./_submission_context.ts"

/**
 * Returns the faults of account indexes whose symbol is not that of the account's token. Reserved
 * indexes, such as that of the exit, have any symbol; other rules refuse accounts that do not exist.
 */
export function symbolFaults(
  { references = {} }: PostRules,
  { request, tokenId }: PostedTransaction,
  { receiver, sender, token }: AccountsOfPosted,
  { network: { prefix }, reader, refuse }: SubmissionContext
): Effect.Effect<ReadonlyArray<InputFault>, StoreFailure> {
  const tokenOf = (index: AccountIndex) => {
    const account = [sender, receiver].find((each) => each?.index === index)
    return token !== null && account?.tokenId === tokenId
      ? Effect.succeed({ ...token, id: tokenId })
      : Effect.map(reader.find("account", index), ({ item }) => item?.token)
  }
  const named = Object.entries(references).filter(([, { index }]) => isUserAccount(index))
  return Effect.map(
    Effect.forEach(named, ([, { index }]) => tokenOf(index)),
    (tokens) =>
      named.flatMap(([property, { index, symbol }], i) => {
        const right = tokens[i]
        if (right === undefined) return []
        const rightIndex = formatAccountIndex(prefix, right.symbol, index)
        if (right.symbol !== symbol) {
          return [
            refuse(
              property,
              formatAccountIndex(prefix, symbol, index),
              `${rightIndex}, the account with this number`
            )
          ]
        }
        // answers show a requested account with the symbol of the requested token
        return property.startsWith("request") && request?.tokenId !== right.id
          ? [
            refuse(
              "requestTokenId",
              request?.tokenId ?? null,
              `${right.id}, the token of ${rightIndex}`
            )
          ]
          : []
      })
  )
}
