import { Effect } from "effect"
import {
  feeUnits,
  isExpired,
  isSameOwner,
  type PoolTransaction,
  type SkipCode,
  skipCodes as code
} from "../../../domain/mod.ts"
import { type AccountIndex, INTERNAL_ADDRESS } from "../../../encoding/mod.ts"
import type { Pooled, StoreFailure } from "../../../ports/mod.ts"
import { balanceLimit, nonceMax } from "../../batch/mod.ts"
import { expiredReason, otherOwnerReason } from "../_decisions.ts"
import type { PoolPorts } from "../_optimistic_change.ts"
import { type StagedAccount, ownerOf, type StagedSelection } from "./_staged_selection.ts"

/** The destination of a selected transaction. */
export type SelectedReceiver =
  | { readonly kind: "exit" }
  | { readonly kind: "account"; readonly index: AccountIndex }
  /** One of the accounts that the selection asks to create. */
  | { readonly kind: "created"; readonly position: number }

/** The reason why a transaction cannot be applied. */
export interface Refusal {
  readonly kind: "refused"
  readonly code: SkipCode
  readonly reason: string
  /** The nonce is too high: another transaction of the sender has to be forged before. */
  readonly isEarly: boolean
  /** The ledger has used the nonce: the transaction cannot be forged any more. */
  readonly isLate: boolean
}

/** The batch of the selection, and the number of accounts that it can create. */
export interface BatchLimits {
  readonly batchNum: number
  readonly newAccountsMax: number
}

/** Applies one transaction to the staged state. Returns its destination, or why it cannot be applied. */
export const tryApply = Effect.fnUntraced(function*(
  ports: PoolPorts,
  staged: StagedSelection,
  { receiver: payee, sender: owner, transaction }: Pooled,
  { batchNum, newAccountsMax }: BatchLimits
): Effect.fn.Return<SelectedReceiver | Refusal, StoreFailure> {
  const { amount, fromAccountIndex, nonce, tokenId } = transaction
  if (isExpired(transaction, batchNum)) {
    return refusal(code.maxNumBatchPassed, expiredReason(transaction.maxNumBatch!))
  }
  const sender = yield* staged.account(fromAccountIndex)
  if (sender === null || sender.before.tokenId !== tokenId) {
    return refusal(code.cannotBeProcessed, noAccount(fromAccountIndex, tokenId))
  }
  if (!isSameOwner(sender.before, owner)) return otherOwner(fromAccountIndex)
  if (nonce !== sender.nonce) return otherNonce(nonce, sender)
  if (nonce >= nonceMax) {
    return refusal(
      code.cannotBeProcessed,
      `Nonce ${nonce} is the greatest one: an account cannot store the next nonce`
    )
  }
  const debit = amount + feeUnits(transaction)
  if (sender.balance < debit) {
    return refusal(
      code.notEnoughBalance,
      `The sender has ${sender.balance} units, expected ${debit} for amount and fee`
    )
  }
  const receiver = yield* resolve(ports, staged, transaction, newAccountsMax)
  if (receiver.kind === "refused") return receiver
  if (receiver.kind === "account") {
    const account = yield* staged.account(receiver.index)
    if (account === null || account.before.tokenId !== tokenId) {
      return refusal(code.receiverNotFound, noAccount(receiver.index, tokenId))
    }
    if (payee !== null && !isSameOwner(account.before, payee)) return otherOwner(receiver.index)
    if (account.balance + amount >= balanceLimit) {
      return refusal(
        code.cannotBeProcessed,
        `Account ${receiver.index} cannot receive ${amount} units: its balance would exceed the maximum`
      )
    }
    staged.debit(sender, debit)
    staged.credit(account, amount)
  } else {
    staged.debit(sender, debit)
  }
  return receiver
})

const resolve = Effect.fnUntraced(function*(
  { pool }: PoolPorts,
  staged: StagedSelection,
  { toAccountIndex, toAddress, toPublicKey, tokenId, type }: PoolTransaction,
  newAccountsMax: number
): Effect.fn.Return<SelectedReceiver | Refusal, StoreFailure> {
  if (type === "Exit") return { kind: "exit" }
  if (type === "Transfer") return { kind: "account", index: toAccountIndex! }
  const owner = ownerOf(tokenId, toAddress!, toPublicKey)
  const index = yield* staged.ownedBy(owner)
  if (index !== null) return { kind: "account", index }
  const position = staged.positionOf(owner)
  if (position !== undefined) return { kind: "created", position }
  const account = type === "TransferToBJJ"
    ? { address: INTERNAL_ADDRESS, publicKey: toPublicKey!, signature: null }
    : yield* pool.authorization(toAddress!)
  if (account === null) {
    return refusal(
      code.destinationCannotBeCreated,
      `${toAddress} has no account of token ${tokenId}, and no authorization to create one`
    )
  }
  if (staged.toCreate.length >= newAccountsMax) return noSpace(newAccountsMax)
  const { address, publicKey } = account
  const signature = account.signature && withLowS(account.signature)
  return {
    kind: "created",
    position: staged.create(owner, { tokenId, address, publicKey, signature })
  }
})

/**
 * Returns the signature with the low s, which recovers the same address: the contract refuses a
 * batch with a high one.
 */
const withLowS = (signature: string): string => {
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  if (s <= CURVE_ORDER / 2n) return signature
  const low = (CURVE_ORDER - s).toString(16).padStart(64, "0")
  return `${signature.slice(0, 66)}${low}${/1b$/iu.test(signature) ? "1c" : "1b"}`
}

/** The order of the curve secp256k1. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Returns the refusal of a transaction that no other transaction of its sender makes possible. */
export const refusal = (reasonCode: SkipCode, reason: string): Refusal => ({
  kind: "refused",
  code: reasonCode,
  reason,
  isEarly: false,
  isLate: false
})

const noAccount = (index: AccountIndex, tokenId: number): string =>
  `Account ${index} of token ${tokenId} does not exist`

const otherOwner = (index: AccountIndex): Refusal =>
  refusal(code.cannotBeProcessed, `${otherOwnerReason(index)} since a rollback`)

const noSpace = (newAccountsMax: number): Refusal =>
  refusal(
    code.noSpaceForAccount,
    `The batch cannot create another account: it already creates ${newAccountsMax}`
  )

/** Returns the refusal of a nonce that is not the next one of its sender. */
export const otherNonce = (nonce: bigint, sender: StagedAccount): Refusal => ({
  ...refusal(
    code.notCurrentNonce,
    `Nonce ${nonce} is not the next nonce of the sender, ${sender.nonce}`
  ),
  isEarly: nonce > sender.nonce,
  isLate: sender.ledgerNonce !== null && nonce < sender.ledgerNonce
})
