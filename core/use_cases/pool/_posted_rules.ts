import { Result } from "effect"
import { brokenBody, type InputFault } from "../../contract/mod.ts"
import {
  localName,
  type Network,
  type PoolTransactionType,
  type PostedAuthorization,
  type PostedTransaction,
  type RequestedTransaction
} from "../../domain/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  encodeFloat40,
  EXIT_ACCOUNT,
  FEE_SELECTOR_MAX,
  feeAmount,
  INTERNAL_ADDRESS,
  isUserAccount,
  type Keccak256,
  l2TransactionId,
  NO_ACCOUNT,
  ZERO_ADDRESS
} from "../../encoding/mod.ts"

/**
 * Returns the fault of a property of a posted body. `property` is its name in the default network.
 */
export type Refuse = (
  property: string,
  value: string | number | bigint | null,
  expected: string
) => InputFault

/** Returns the `Refuse` function of a network. */
export const refuseFor =
  (network: Pick<Network, "prefix">): Refuse => (property, value, expected) => {
    const name = localName(network, property)
    const shown = value === null ? null : String(value)
    return brokenBody(
      name,
      shown,
      expected,
      `Property ${name} ${
        shown === null ? "is missing" : `has the value ${shown}`
      }: expected ${expected}`
    )
  }

/** Replaces values that mean "none" in a destination by null. The signed content stays the same. */
export const withoutEmptyParts = (posted: PostedTransaction): PostedTransaction => ({
  ...posted,
  toAccountIndex: posted.toAccountIndex === NO_ACCOUNT ? null : posted.toAccountIndex,
  toAddress: posted.toAddress === ZERO_ADDRESS ? null : posted.toAddress,
  toPublicKey: posted.toPublicKey === EMPTY_PUBLIC_KEY ? null : posted.toPublicKey
})

/** Returns every fault of a transaction that is independent of the ledger (domain §4.1). */
export function postedFaults(
  posted: PostedTransaction,
  refuse: Refuse,
  keccak256: Keccak256
): ReadonlyArray<InputFault> {
  const { amount, fee, nonce, request, type } = posted
  const faults: Array<InputFault> = [
    ...numberFaults({ amount, fee, nonce }, refuse, ["amount", "fee", "nonce"])
  ]
  const derived = destinationType(posted, refuse)
  if (typeof derived !== "string") faults.push(...derived)
  else if (derived !== type) {
    faults.push(refuse("type", type, `${derived}, which is what the destination says`))
  }
  if (type === "Exit" && amount === 0n) {
    faults.push(refuse("amount", amount, "more than 0 units for an exit"))
  }
  const id = l2TransactionId(posted, keccak256)
  // if the id cannot be computed, a fault above says why
  if (Result.isSuccess(id) && id.success !== posted.id) {
    faults.push(
      refuse("id", posted.id, `${id.success}, recomputed from sender, token, amount, nonce and fee`)
    )
  }
  if (request !== null) faults.push(...requestFaults(request, refuse))
  return faults
}

/** Returns the faults of an authorization: addresses and keys that mean "none" or "internal". */
export function authorizationFaults(
  { address, publicKey }: PostedAuthorization,
  refuse: Refuse
): ReadonlyArray<InputFault> {
  return [
    ...address === ZERO_ADDRESS || address === INTERNAL_ADDRESS
      ? [refuse("zkEthereumAddress", address, "an address that somebody can own")]
      : [],
    ...publicKey === EMPTY_PUBLIC_KEY ? [refuse("bjj", publicKey, "a key")] : []
  ]
}

const NONCE_LIMIT = 1n << 40n
const AMOUNT_LIMIT = 1n << 192n

interface Numbers {
  readonly amount: bigint
  readonly fee: number
  readonly nonce: bigint
}

function* numberFaults(
  { amount, fee, nonce }: Numbers,
  refuse: Refuse,
  names: readonly [amount: string, fee: string, nonce: string]
) {
  const float = encodeFloat40(amount)
  if (Result.isFailure(float)) yield refuse(names[0], amount, float.failure.rule)
  if (amount >= AMOUNT_LIMIT) yield refuse(names[0], amount, "an amount below 2^192")
  if (!Number.isInteger(fee) || fee < 0 || fee > FEE_SELECTOR_MAX) {
    yield refuse(names[1], fee, `a fee selector from 0 to ${FEE_SELECTOR_MAX}`)
  } else if (amount >= 0n && Result.isFailure(feeAmount(amount, fee))) {
    yield refuse(names[1], fee, `a fee selector whose fee on ${amount} units fits in 128 bits`)
  }
  if (nonce < 0n || nonce >= NONCE_LIMIT) {
    yield refuse(names[2], nonce, "a nonce below 2^40, since more has no place in what is signed")
  }
}

/** Returns the transaction type of a destination, or the faults of an invalid destination. */
function destinationType(
  { toAccountIndex, toAddress, toPublicKey }: PostedTransaction,
  refuse: Refuse
): PoolTransactionType | ReadonlyArray<InputFault> {
  if (toAccountIndex !== null) {
    const faults: Array<InputFault> = []
    if (toAccountIndex !== EXIT_ACCOUNT && !isUserAccount(toAccountIndex)) {
      faults.push(
        refuse("toAccountIndex", toAccountIndex, "1 for an exit or 256 and more for an account")
      )
    }
    if (toAddress !== null) {
      faults.push(
        refuse("toZkEthereumAddress", toAddress, "null, since toAccountIndex names the destination")
      )
    }
    if (toPublicKey !== null) {
      faults.push(refuse("toBjj", toPublicKey, "null, since toAccountIndex names the destination"))
    }
    return faults.length > 0 ? faults : toAccountIndex === EXIT_ACCOUNT ? "Exit" : "Transfer"
  }
  if (toPublicKey !== null) {
    return toAddress === INTERNAL_ADDRESS
      ? "TransferToBJJ"
      : [refuse("toZkEthereumAddress", toAddress, "the address of all F, which goes with toBjj")]
  }
  if (toAddress === INTERNAL_ADDRESS) {
    return [refuse("toBjj", null, "a key, which goes with the address of all F")]
  }
  return toAddress === null
    ? [
      refuse(
        "toAccountIndex",
        null,
        "a destination: an account, the exit, an Ethereum address, or a key with the address of all F"
      )
    ]
    : "TransferToEthAddr"
}

/** Returns the faults that make it impossible to sign a requested transaction. */
function requestFaults(request: RequestedTransaction, refuse: Refuse): ReadonlyArray<InputFault> {
  const { amount, fee, fromAccountIndex, nonce, tokenId } = request
  const required = {
    requestFromAccountIndex: fromAccountIndex,
    requestTokenId: tokenId,
    requestAmount: amount,
    requestFee: fee,
    requestNonce: nonce
  }
  const missing = Object.entries(required).filter(([, value]) => value === null)
    .map(([name]) =>
      refuse(name, null, "a requested transaction with its sender, token, amount, fee and nonce")
    )
  return [
    ...missing,
    ...numberFaults({ amount: amount ?? 0n, fee: fee ?? 0, nonce: nonce ?? 0n }, refuse, [
      "requestAmount",
      "requestFee",
      "requestNonce"
    ])
  ]
}
