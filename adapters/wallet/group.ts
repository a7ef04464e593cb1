import {
  type GroupedTransaction,
  type PostedGroup,
  type PostedTransaction,
  requestOf
} from "../../core/domain/mod.ts"
import { groupId } from "../../core/encoding/mod.ts"
import { groupFaults, refuseFor } from "../../core/use_cases/mod.ts"
import type { v1 } from "../client/mod.ts"
import { keccak256 } from "../crypto/mod.ts"
import type { WalletAccount } from "./account.ts"
import { InvalidTransaction } from "./request.ts"
import { transactionBody } from "./_wire.ts"

/** An atomic group whose transactions are linked and signed. */
export interface SignedGroup {
  /** The group as `submitGroup` of an embedded node takes it. */
  readonly group: PostedGroup
  /**
   * The group as `postAtomicGroup` of a client of revision `v1` takes it, with the names of the
   * network.
   */
  readonly body: v1.PostAtomicGroup
}

/**
 * Returns the atomic group of these transactions, with the signatures of these accounts. Throws
 * InvalidTransaction with every rule that it breaks, as the server does.
 */
export function signGroup(
  prefix: string,
  transactions: ReadonlyArray<PostedTransaction>,
  accounts: ReadonlyArray<WalletAccount>
): SignedGroup {
  const linked: PostedGroup = {
    id: groupId(transactions.map(({ id }) => id), keccak256),
    transactions: transactions.map((transaction, position) =>
      link(transaction, position, transactions)
    )
  }
  const faults = groupFaults(linked, refuseFor({ prefix }), keccak256)
  if (faults.length > 0) throw new InvalidTransaction(faults)
  const group = {
    ...linked,
    transactions: linked.transactions.map((transaction) =>
      accounts.find(({ index }) => index === transaction.fromAccountIndex)?.sign(transaction) ??
        transaction
    )
  }
  const symbols = new Map<number | null | undefined, string>(
    accounts.map(({ token: { id, symbol } }) => [id, symbol])
  )
  // revision v1 accepts any symbol: one that no account has is the number of the token
  const symbolOf = (tokenId: number | null | undefined) => symbols.get(tokenId) ?? String(tokenId)
  return {
    group,
    body: {
      atomicGroupId: group.id,
      transactions: group.transactions.map(({ requestOffset, ...posted }) => ({
        ...transactionBody(posted, prefix, {
          symbol: symbolOf(posted.tokenId),
          requestSymbol: symbolOf(posted.request?.tokenId)
        }),
        requestOffset
      }))
    }
  }
}

/** Returns a transaction that requires the next one of the cycle of its group. */
function link(
  transaction: PostedTransaction,
  position: number,
  transactions: ReadonlyArray<PostedTransaction>
): GroupedTransaction {
  const at = nextOf(position, transactions.length)
  return {
    ...transaction,
    request: requestOf(transactions[at] ?? transaction),
    requestOffset: (at - position + 8) % 8
  }
}

/**
 * Returns the position after this one in a cycle through a group. No step is longer than two, since
 * an offset reaches three positions forward and four back: the cycle goes forward over the even
 * positions, and back over the odd ones.
 */
function nextOf(position: number, length: number): number {
  if (position % 2 === 1) return Math.max(0, position - 2)
  if (position + 2 < length) return position + 2
  return position + 1 < length ? position + 1 : position - 1
}
