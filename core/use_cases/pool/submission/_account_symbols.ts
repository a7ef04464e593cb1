import { Effect } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import type { PostedTransaction } from "../../../domain/mod.ts"
import { formatAccountIndex, isUserAccount } from "../../../encoding/mod.ts"
import type { AccountsOfPosted, PostRules } from "./_posted_rules.ts"
import type { SubmissionContext } from "./_submission_context.ts"

/**
 * Returns the faults of account indexes whose symbol is not that of the account's token. Reserved
 * indexes, such as that of the exit, have any symbol; other rules refuse accounts that do not exist.
 */
export const symbolFaults = Effect.fnUntraced(function*(
  { references = {} }: PostRules,
  { request, tokenId }: PostedTransaction,
  { receiver, sender, token }: AccountsOfPosted,
  { network: { prefix }, reader, refuse }: SubmissionContext
) {
  const faults: Array<InputFault> = []
  for (const [property, { index, symbol }] of Object.entries(references)) {
    if (!isUserAccount(index)) continue
    const account = [sender, receiver].find((each) => each?.index === index)
    const right = token !== null && account?.tokenId === tokenId
      ? { ...token, id: tokenId }
      : (yield* reader.find("account", index)).item?.token
    if (right === undefined) continue
    const rightIndex = formatAccountIndex(prefix, right.symbol, index)
    if (right.symbol !== symbol) {
      const found = formatAccountIndex(prefix, symbol, index)
      faults.push(refuse(property, found, `${rightIndex}, the account with this number`))
    } else if (property.startsWith("request") && request?.tokenId !== right.id) {
      // answers show a requested account with the symbol of the requested token
      const expected = `${right.id}, the token of ${rightIndex}`
      faults.push(refuse("requestTokenId", request?.tokenId ?? null, expected))
    }
  }
  return faults
})
