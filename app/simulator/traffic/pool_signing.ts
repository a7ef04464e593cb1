import { Result } from "effect"
import { keccak256, transactionHash } from "../../../adapters/crypto/mod.ts"
import type {
  PoolTransactionType,
  PostedAuthorization,
  PostedTransaction,
  RequestedTransaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  EXIT_ACCOUNT,
  INTERNAL_ADDRESS,
  l2TransactionId
} from "../../../core/encoding/mod.ts"
import {
  accountOf,
  type Context,
  type Wallet,
  type SubmittedTransaction,
  type World
} from "../world/mod.ts"
import type { PlannedL2 } from "./l2_traffic.ts"

/** Signs planned transactions in order, and adds a few that are never forged. */
export function signPlanned(
  context: Context,
  world: World,
  planned: ReadonlyArray<PlannedL2>
): ReadonlyArray<SubmittedTransaction> {
  const { schedule } = context
  const entries: Array<SubmittedTransaction> = []
  const isLinked = planned.length > 1 && schedule.takeDue("linkedTransactions")
  for (const [position, feed] of planned.entries()) {
    const requested = isLinked && position === 0 ? planned[1] : undefined
    const request = requested === undefined ? null : requestOf(world, requested)
    // the request names a transfer to a key, so the requested transaction must be one
    const type = isLinked && position === 1 && feed.toAccountIndex !== EXIT_ACCOUNT
      ? "TransferToBJJ"
      : typeOf(context, world, feed)
    entries.push(...sign(context, world, { feed, type, request }))
  }
  const last = planned.at(-1)
  if (last === undefined) return entries
  const neverForged: Array<PlannedL2> = []
  if (schedule.takeDue("nonceGap")) neverForged.push({ ...last, nonce: last.nonce + 1000n })
  // a replacement with the same nonce: it becomes invalid when the first transaction is forged
  if (schedule.takeDue("replacement")) neverForged.push({ ...last, fee: last.fee === 0 ? 1 : 0 })
  for (const feed of neverForged) {
    entries.push(...sign(context, world, { feed, type: "Transfer", request: null }))
  }
  return entries
}

/** Returns authorizations of users for coordinators to create accounts. */
export function authorizationsOf(
  context: Context,
  world: World
): ReadonlyArray<PostedAuthorization> {
  const { schedule, wallets, random } = context
  if (world.users === 0 || !schedule.takeDue("authorization")) return []
  return authorizationBy(context, wallets.user(random.integer(0, world.users - 1)))
}

/**
 * Returns a transfer to a user without an account of the token, and the authorization with which
 * the coordinator can create it. If the user has an account, returns an ordinary transfer.
 */
export function signForNewcomer(
  context: Context,
  world: World,
  feed: PlannedL2
): {
  readonly entries: ReadonlyArray<SubmittedTransaction>
  readonly authorizations: ReadonlyArray<PostedAuthorization>
} {
  const { wallets, random } = context
  const newcomer = wallets.user(random.integer(0, world.users + 10))
  const { address, publicKey } = newcomer
  const tokenId = accountOf(world, feed.fromAccountIndex)?.tokenId
  const known = world.accounts.some((account) =>
    account.tokenId === tokenId && account.publicKey === publicKey
  )
  const type = address === INTERNAL_ADDRESS ? "TransferToBJJ" : "TransferToEthAddr"
  return known || feed.toAccountIndex === EXIT_ACCOUNT
    ? {
      entries: sign(context, world, { feed, type: typeOf(context, world, feed), request: null }),
      authorizations: []
    }
    : {
      entries: sign(context, world, { feed, type, request: null, newcomer }),
      authorizations: authorizationBy(context, newcomer)
    }
}

function authorizationBy({ wallets }: Context, wallet: Wallet): ReadonlyArray<PostedAuthorization> {
  const signature = wallets.authorization(wallet)
  return signature === null
    ? []
    : [{ address: wallet.address, publicKey: wallet.publicKey, signature }]
}

interface PlannedTransfer {
  readonly feed: PlannedL2
  readonly type: PoolTransactionType
  readonly request: RequestedTransaction | null
  /** The receiver, if it has no account yet. */
  readonly newcomer?: Wallet
}

const TYPES = ["Transfer", "Transfer", "TransferToEthAddr", "TransferToBJJ"] as const

function typeOf(
  { random }: Context,
  world: World,
  { toAccountIndex }: PlannedL2
): PoolTransactionType {
  if (toAccountIndex === EXIT_ACCOUNT) return "Exit"
  const type = random.oneOf(TYPES)
  const isInternal = accountOf(world, toAccountIndex)?.address === INTERNAL_ADDRESS
  // internal accounts share one address, and a transfer to a key reaches internal accounts only
  return type === (isInternal ? "TransferToEthAddr" : "TransferToBJJ") ? "Transfer" : type
}

function sign(
  { wallets, settings }: Context,
  world: World,
  { feed, newcomer, request, type }: PlannedTransfer
): ReadonlyArray<SubmittedTransaction> {
  const { amount, fee, fromAccountIndex, nonce, toAccountIndex } = feed
  const account = accountOf(world, fromAccountIndex)
  const holder = account && wallets.find(account.publicKey)
  if (account === undefined || holder === undefined) return []
  const { tokenId } = account
  const receiver = newcomer ?? accountOf(world, toAccountIndex)
  const fields = {
    tokenId,
    fromAccountIndex,
    ...destinationOf(receiver, type, toAccountIndex),
    amount,
    fee,
    nonce,
    request
  }
  const transaction: PostedTransaction = {
    ...fields,
    id: Result.getOrThrow(l2TransactionId(fields, keccak256)),
    type: toAccountIndex === EXIT_ACCOUNT ? "Exit" : type,
    signature: wallets.sign(holder, transactionHash(fields, settings.network.chainId))
  }
  return [{
    transaction,
    sender: account.publicKey,
    toAccountIndex,
    receiver: newcomer === undefined ? receiver?.publicKey ?? null : null
  }]
}

function destinationOf(
  receiver: Pick<Wallet, "address" | "publicKey"> | undefined,
  type: PoolTransactionType,
  toAccountIndex: AccountIndex
): Pick<PostedTransaction, "toAccountIndex" | "toAddress" | "toPublicKey"> {
  if (receiver === undefined || type === "Transfer" || type === "Exit") {
    return { toAccountIndex, toAddress: null, toPublicKey: null }
  }
  return type === "TransferToEthAddr"
    ? { toAccountIndex: null, toAddress: receiver.address, toPublicKey: null }
    : { toAccountIndex: null, toAddress: INTERNAL_ADDRESS, toPublicKey: receiver.publicKey }
}

/** Returns a request for a transaction: a transfer to a key, or an exit without address and key. */
function requestOf(
  world: World,
  { amount, fee, fromAccountIndex, nonce, toAccountIndex }: PlannedL2
): RequestedTransaction {
  const receiver = accountOf(world, toAccountIndex)
  return {
    fromAccountIndex,
    toAccountIndex: receiver === undefined ? toAccountIndex : 0,
    toAddress: receiver === undefined ? null : INTERNAL_ADDRESS,
    toPublicKey: receiver === undefined ? null : receiver.publicKey,
    tokenId: accountOf(world, fromAccountIndex)?.tokenId ?? 0,
    amount,
    fee,
    nonce
  }
}
