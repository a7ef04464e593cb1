import { Result } from "effect"
import { keccak256, transactionHash } from "../../../adapters/crypto/mod.ts"
import type {
  L2Feed,
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

/** Signs what was planned, in order, and a few that are never forged. */
export function signPlanned(
  context: Context,
  world: World,
  planned: ReadonlyArray<L2Feed>
): ReadonlyArray<SubmittedTransaction> {
  const { schedule } = context
  const entries: Array<SubmittedTransaction> = []
  const links = planned.length > 1 && schedule.takeDue("linkedTransactions")
  for (const [position, feed] of planned.entries()) {
    const requested = links && position === 0 ? planned[1] : undefined
    const request = requested === undefined ? null : requestOf(world, requested)
    // the request speaks of a transfer to a key, so the requested transaction is one
    const type = links && position === 1 && feed.toAccountIndex !== EXIT_ACCOUNT
      ? "TransferToBJJ"
      : typeOf(context, world, feed)
    entries.push(...sign(context, world, { feed, type, request }))
  }
  const last = planned.at(-1)
  if (last === undefined) return entries
  const strays: Array<L2Feed> = []
  if (schedule.takeDue("nonceGap")) strays.push({ ...last, nonce: last.nonce + 1000n })
  // the sender thought better of it, but this one comes second and becomes invalid when the first is forged
  if (schedule.takeDue("replacement")) strays.push({ ...last, fee: last.fee === 0 ? 1 : 0 })
  for (const feed of strays) {
    entries.push(...sign(context, world, { feed, type: "Transfer", request: null }))
  }
  return entries
}

/** Some users let coordinators open accounts for them. */
export function authorizationsOf(
  context: Context,
  world: World
): ReadonlyArray<PostedAuthorization> {
  const { schedule, wallets, random } = context
  if (world.users === 0 || !schedule.takeDue("authorization")) return []
  return authorizationBy(context, wallets.user(random.integer(0, world.users - 1)))
}

/** A transfer to somebody who has no account of the token, and the authorization by which the coordinator can create it. */
export function signForNewcomer(
  context: Context,
  world: World,
  feed: L2Feed
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
  readonly feed: L2Feed
  readonly type: PoolTransactionType
  readonly request: RequestedTransaction | null
  /** Who gets it, where that is nobody who has an account. */
  readonly newcomer?: Wallet
}

const TYPES = ["Transfer", "Transfer", "TransferToEthAddr", "TransferToBJJ"] as const

function typeOf(
  { random }: Context,
  world: World,
  { toAccountIndex }: L2Feed
): PoolTransactionType {
  if (toAccountIndex === EXIT_ACCOUNT) return "Exit"
  const type = random.oneOf(TYPES)
  const internal = accountOf(world, toAccountIndex)?.address === INTERNAL_ADDRESS
  // nobody can be found by the address that all internal accounts share, and a transfer to a key means an internal account
  return type === (internal ? "TransferToEthAddr" : "TransferToBJJ") ? "Transfer" : type
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
  const spelt = {
    tokenId,
    fromAccountIndex,
    ...destinationOf(receiver, type, toAccountIndex),
    amount,
    fee,
    nonce,
    request
  }
  const transaction: PostedTransaction = {
    ...spelt,
    id: Result.getOrThrow(l2TransactionId(spelt, keccak256)),
    type: toAccountIndex === EXIT_ACCOUNT ? "Exit" : type,
    signature: wallets.sign(holder, transactionHash(spelt, settings.network.chainId))
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

/** All eight fields, as a transfer to a key has them; an exit has neither address nor key. */
function requestOf(
  world: World,
  { amount, fee, fromAccountIndex, nonce, toAccountIndex }: L2Feed
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
