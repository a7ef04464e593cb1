import { Effect } from "effect"
import type { InputFault } from "../../contract/mod.ts"
import { type Account, feeUSD, type PostedTransaction, type Token } from "../../domain/mod.ts"
import { isUserAccount } from "../../encoding/mod.ts"
import type { LedgerReader } from "../../ports/mod.ts"
import type { Refuse } from "./_posted_rules.ts"

/** Bounds of a fee, US dollars. */
export interface FeeBounds {
  readonly minFeeUSD: number
  readonly maxFeeUSD: number
}

/** The accounts and the token that a transaction names; null if they do not exist. */
export interface Parties {
  readonly sender: Account | null
  /** Null also if the transaction names no account. */
  readonly receiver: Account | null
  readonly token: Token | null
}

/** Returns the accounts and the token that a transaction names, from one snapshot. */
export const partiesOf = Effect.fnUntraced(
  function*(
    reader: LedgerReader["Service"],
    { fromAccountIndex, toAccountIndex, tokenId }: PostedTransaction
  ) {
    const accounts = toAccountIndex !== null && isUserAccount(toAccountIndex)
      ? [fromAccountIndex, toAccountIndex]
      : [fromAccountIndex]
    const { accounts: [sender = null, receiver = null], tokens: [token = null] } = yield* reader
      .accountsAndTokens({ accounts, tokens: [tokenId] })
    return { sender, receiver, token } satisfies Parties
  }
)

/** Returns every fault of a transaction against the ledger (domain §4.1). */
export function ledgerFaults(
  posted: PostedTransaction,
  { receiver, sender, token }: Parties,
  bounds: FeeBounds,
  refuse: Refuse
): ReadonlyArray<InputFault> {
  const { fee, fromAccountIndex, nonce, toAccountIndex, tokenId } = posted
  const faults: Array<InputFault> = []
  if (sender === null) {
    faults.push(refuse("fromAccountIndex", fromAccountIndex, "an account that exists"))
  } else {
    if (sender.tokenId !== tokenId) {
      faults.push(
        refuse("tokenId", tokenId, `${sender.tokenId}, the token of the sender's account`)
      )
    }
    if (nonce < sender.nonce) {
      faults.push(
        refuse(
          "nonce",
          nonce,
          `${sender.nonce} or more, since the sender's account has used the ones before`
        )
      )
    }
  }
  if (toAccountIndex !== null && isUserAccount(toAccountIndex)) {
    if (receiver === null) {
      faults.push(refuse("toAccountIndex", toAccountIndex, "an account that exists"))
    } else if (receiver.tokenId !== tokenId) {
      faults.push(
        refuse(
          "toAccountIndex",
          toAccountIndex,
          `an account of token ${tokenId}, found one of token ${receiver.tokenId}`
        )
      )
    }
  }
  // an existing sender always has a registered token
  if (token === null) faults.push(refuse("tokenId", tokenId, "a registered token"))
  const feeInUSD = token === null ? 0 : feeUSD(posted, token)
  if (feeInUSD < bounds.minFeeUSD) {
    faults.push(
      refuse("fee", fee, `a fee of at least ${bounds.minFeeUSD} US dollars, found ${feeInUSD}`)
    )
  }
  if (feeInUSD > bounds.maxFeeUSD) {
    faults.push(
      refuse("fee", fee, `a fee of at most ${bounds.maxFeeUSD} US dollars, found ${feeInUSD}`)
    )
  }
  return faults
}
