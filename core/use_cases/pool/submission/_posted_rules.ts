import { Result, Effect } from "effect"
import { type AccountReferences, brokenBody, cut, type InputFault } from "../../../contract/mod.ts"
import {
  localName,
  type Network,
  type PoolTransactionType,
  type PostedAuthorization,
  type PostedTransaction,
  type RequestedTransaction,
  type Account,
  type AccountOwner,
  feeUSD,
  isExpired,
  protocol,
  type Token
} from "../../../domain/mod.ts"
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
} from "../../../encoding/mod.ts"
import type { LedgerReader, StoreFailure, TransactionOwners } from "../../../ports/mod.ts"

/**
 * Returns the fault of a property of a posted body. `property` is its name in the default network.
 */
export type Refuse = (
  property: string,
  value: string | number | bigint | null,
  expected: string,
  ruleName?: InputFault["ruleName"]
) => InputFault

/** Returns the `Refuse` function of a network. */
export const refuseFor =
  (network: Pick<Network, "prefix">): Refuse => (property, value, expected, ruleName) => {
    const name = localName(network, property)
    const shown = value === null ? null : cut(String(value))
    const fault = brokenBody(
      name,
      shown,
      expected,
      `Property ${name} ${
        shown === null ? "is missing" : `has the value ${shown}`
      }: expected ${expected}`
    )
    return ruleName === undefined ? fault : { ...fault, ruleName }
  }

/**
 * Replaces values that mean "none" by null, and omits a `maxNumBatch` of 0. The signed content stays
 * the same.
 */
export const withoutEmptyParts = (
  { maxNumBatch = 0, ...posted }: PostedTransaction
): PostedTransaction => ({
  ...withoutEmptyDestination(posted),
  request: posted.request && withoutEmptyDestination(posted.request),
  ...maxNumBatch === 0 ? {} : { maxNumBatch }
})

type Destination = Pick<PostedTransaction, "toAccountIndex" | "toAddress" | "toPublicKey">

/** Replaces parts of a destination that mean "none" by null. */
export const withoutEmptyDestination = <T extends Destination>(of: T): T => ({
  ...of,
  toAccountIndex: of.toAccountIndex === NO_ACCOUNT ? null : of.toAccountIndex,
  toAddress: of.toAddress === ZERO_ADDRESS ? null : of.toAddress,
  toPublicKey: of.toPublicKey === EMPTY_PUBLIC_KEY ? null : of.toPublicKey
})

/** Rules of a post that the host decides. */
export interface PostRules {
  /**
   * Whether a transfer to an account may also name the Ethereum address that owns the account; false
   * by default. The address is part of the signed message.
   */
  readonly acceptsOwnerAddress?: boolean
  /**
   * The account indexes of the post with the symbols that the client wrote. One whose symbol is not
   * that of the account's token is refused. None by default.
   */
  readonly references?: AccountReferences
}

/** Returns every fault of a transaction without the ledger (PROTOCOL.md "Posted transactions"). */
export function postedFaults(
  posted: PostedTransaction,
  refuse: Refuse,
  keccak256: Keccak256,
  { acceptsOwnerAddress = false }: PostRules = {}
): ReadonlyArray<InputFault> {
  const { amount, fee, nonce, request, type } = posted
  const faults: Array<InputFault> = [
    ...numberFaults({ amount, fee, nonce }, refuse, ["amount", "fee", "nonce"])
  ]
  const isOwnerAddress = acceptsOwnerAddress && posted.toAccountIndex !== null &&
    isUserAccount(posted.toAccountIndex)
  const derived = destinationType(isOwnerAddress ? { ...posted, toAddress: null } : posted, refuse)
  if (typeof derived !== "string") faults.push(...derived)
  else if (derived !== type) {
    faults.push(refuse("type", type, `${derived}, the type for this destination`))
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
  const { maxNumBatch = 0 } = posted
  if (!Number.isInteger(maxNumBatch) || maxNumBatch < 0 || maxNumBatch >= BATCH_NUM_LIMIT) {
    faults.push(refuse("maxNumBatch", maxNumBatch, "0 for no limit, or a batch number below 2^32"))
  }
  return faults
}

/** Returns the faults of an authorization: addresses and keys that mean "none" or "internal". */
export function authorizationFaults(
  { address, publicKey }: PostedAuthorization,
  refuse: Refuse
): ReadonlyArray<InputFault> {
  return [
    ...address === ZERO_ADDRESS || address === INTERNAL_ADDRESS
      ? [refuse("zkEthereumAddress", address, "an address that is neither zero nor all F")]
      : [],
    ...publicKey === EMPTY_PUBLIC_KEY ? [refuse("bjj", publicKey, "a key")] : []
  ]
}

const NONCE_LIMIT = 1n << 40n
const BATCH_NUM_LIMIT = 2 ** 32

function* numberFaults(
  { amount, fee, nonce }: Pick<PostedTransaction, "amount" | "fee" | "nonce">,
  refuse: Refuse,
  names: readonly [amount: string, fee: string, nonce: string]
) {
  const float = encodeFloat40(amount)
  if (Result.isFailure(float)) yield refuse(names[0], amount, float.failure.rule)
  if (amount >= protocol.limitL2TransferAmount) {
    yield refuse(names[0], amount, "an amount below 2^192")
  }
  if (!Number.isInteger(fee) || fee < 0 || fee > FEE_SELECTOR_MAX) {
    yield refuse(names[1], fee, `a fee selector from 0 to ${FEE_SELECTOR_MAX}`)
  } else if (amount >= 0n && Result.isFailure(feeAmount(amount, fee))) {
    yield refuse(names[1], fee, `a fee selector whose fee on ${amount} units fits in 128 bits`)
  }
  if (nonce < 0n || nonce >= NONCE_LIMIT) {
    yield refuse(names[2], nonce, "a nonce below 2^40, the bound of the signed message")
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
        refuse("toZkEthereumAddress", toAddress, "null, because toAccountIndex is the destination")
      )
    }
    if (toPublicKey !== null) {
      faults.push(refuse("toBjj", toPublicKey, "null, because toAccountIndex is the destination"))
    }
    return faults.length > 0 ? faults : toAccountIndex === EXIT_ACCOUNT ? "Exit" : "Transfer"
  }
  if (toPublicKey !== null) {
    return toAddress === INTERNAL_ADDRESS
      ? "TransferToBJJ"
      : [refuse("toZkEthereumAddress", toAddress, "the address of all F, because toBjj is set")]
  }
  if (toAddress === INTERNAL_ADDRESS) {
    return [refuse("toBjj", null, "a key, because the address is all F")]
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

/** The properties of a requested transaction in the default network. */
export const requestProperties = {
  fromAccountIndex: "requestFromAccountIndex",
  toAccountIndex: "requestToAccountIndex",
  toAddress: "requestToZkEthereumAddress",
  toPublicKey: "requestToBjj",
  tokenId: "requestTokenId",
  amount: "requestAmount",
  fee: "requestFee",
  nonce: "requestNonce"
} satisfies Record<keyof RequestedTransaction, string>

/** Returns the faults that make it impossible to sign a requested transaction. */
function requestFaults(request: RequestedTransaction, refuse: Refuse): ReadonlyArray<InputFault> {
  const { amount, fee, nonce } = request
  const required = ["fromAccountIndex", "tokenId", "amount", "fee", "nonce"] as const
  const expected = "a requested transaction with its sender, token, amount, fee and nonce"
  return [
    ...required.filter((name) => request[name] === null)
      .map((name) => refuse(requestProperties[name], null, expected)),
    ...numberFaults({ amount: amount ?? 0n, fee: fee ?? 0, nonce: nonce ?? 0n }, refuse, [
      "requestAmount",
      "requestFee",
      "requestNonce"
    ])
  ]
}

/** Bounds of a fee, US dollars. */
export interface FeeBounds {
  readonly minFeeUSD: number
  readonly maxFeeUSD: number
}

/**
 * The properties of the accounts and of the token of a transaction that the rules read; null if
 * they do not exist.
 */
export interface Parties {
  readonly sender: Pick<Account, "tokenId" | "nonce"> | null
  /** Null also if the transaction names no account. */
  readonly receiver: Pick<Account, "tokenId"> & Partial<Pick<Account, "address">> | null
  readonly token: Pick<Token, "priceUSD" | "decimals"> | null
  /** The last batch of the ledger; 0 before the first one. */
  readonly lastBatchNum: number
}

/** The accounts and the token of a transaction. */
export interface AccountsOfPosted extends Parties {
  readonly sender: Account | null
  readonly receiver: Account | null
  readonly token: Token | null
}

/** Returns the accounts and the token that a transaction names, from one snapshot. */
export function partiesOf(
  reader: LedgerReader["Service"],
  { fromAccountIndex, toAccountIndex, tokenId }: PostedTransaction
): Effect.Effect<AccountsOfPosted, StoreFailure> {
  const accounts = toAccountIndex !== null && isUserAccount(toAccountIndex)
    ? [fromAccountIndex, toAccountIndex]
    : [fromAccountIndex]
  return Effect.map(
    reader.accountsAndTokens({ accounts, tokens: [tokenId] }),
    ({ accounts: [sender = null, receiver = null], snapshotId, tokens: [token = null] }) => ({
      sender,
      receiver,
      token,
      lastBatchNum: snapshotId.batchNum ?? 0
    })
  )
}

/** Returns the owners of the accounts of a transaction without faults. */
export const ownersOf = ({ receiver, sender }: AccountsOfPosted): TransactionOwners => ({
  sender: ownerOf(sender!),
  receiver: receiver && ownerOf(receiver)
})

const ownerOf = ({ address, publicKey }: AccountOwner): AccountOwner => ({ address, publicKey })

/** Returns every fault of a transaction against the ledger. */
export const ledgerFaults = (
  posted: PostedTransaction,
  { lastBatchNum, receiver, sender, token }: Parties,
  bounds: FeeBounds,
  refuse: Refuse
): ReadonlyArray<InputFault> => {
  const feeInUSD = feeInUSDOf(posted, token)
  return [
    ...senderFaults(posted, sender, refuse),
    ...receiverFaults(posted, receiver, refuse),
    ...isExpired(posted, lastBatchNum + 1)
      ? [
        refuse(
          "maxNumBatch",
          posted.maxNumBatch!,
          `0 for no limit, or ${lastBatchNum + 1} or more, because batch ${lastBatchNum} is forged`
        )
      ]
      : [],
    // an existing sender always has a registered token
    ...token === null ? [refuse("tokenId", posted.tokenId, "a registered token")] : [],
    ...boundFaults(
      feeInUSD,
      bounds,
      (bound, ruleName) => refuse("fee", posted.fee, `a fee of ${bound}, not ${feeInUSD}`, ruleName)
    )
  ]
}

function* senderFaults(
  { fromAccountIndex, nonce, tokenId }: PostedTransaction,
  sender: Parties["sender"],
  refuse: Refuse
): Iterable<InputFault> {
  if (sender === null) {
    yield refuse("fromAccountIndex", fromAccountIndex, "an account that exists")
    return
  }
  if (sender.tokenId !== tokenId) {
    yield refuse("tokenId", tokenId, `${sender.tokenId}, the token of the sender's account`)
  }
  if (nonce < sender.nonce) {
    yield refuse(
      "nonce",
      nonce,
      `${sender.nonce} or more, because the sender has used the lower ones`
    )
  }
}

function* receiverFaults(
  { toAccountIndex, toAddress, tokenId }: PostedTransaction,
  receiver: Parties["receiver"],
  refuse: Refuse
): Iterable<InputFault> {
  if (toAccountIndex === null || !isUserAccount(toAccountIndex)) return
  if (receiver === null) {
    yield refuse("toAccountIndex", toAccountIndex, "an account that exists")
    return
  }
  if (receiver.tokenId !== tokenId) {
    yield refuse(
      "toAccountIndex",
      toAccountIndex,
      `an account of token ${tokenId}, not of token ${receiver.tokenId}`,
      "accountOfToken"
    )
  }
  if (toAddress !== null && toAddress !== receiver.address) {
    yield refuse(
      "toZkEthereumAddress",
      toAddress,
      `null, or ${receiver.address}, the owner of account ${toAccountIndex}`
    )
  }
}

/** Returns the faults of a fee, or of the average fee of a group, outside of its bounds. */
export function* boundFaults(
  feeInUSD: number,
  { maxFeeUSD, minFeeUSD }: FeeBounds,
  refuseBound: (bound: string, ruleName: InputFault["ruleName"]) => InputFault
): Iterable<InputFault> {
  if (feeInUSD < minFeeUSD) yield refuseBound(`at least ${minFeeUSD} US dollars`, "feeTooLow")
  if (feeInUSD > maxFeeUSD) yield refuseBound(`at most ${maxFeeUSD} US dollars`, "feeTooBig")
}

/** Returns the fee in US dollars; 0 if the token is unknown. */
export const feeInUSDOf = (posted: PostedTransaction, token: Parties["token"]): number =>
  token === null ? 0 : feeUSD(posted, token)
