import { Result } from "effect"
import { keccak256, transactionHash } from "../../../adapters/crypto/mod.ts"
import {
  type PoolTransactionType,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction,
  requestOf
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  EMPTY_PUBLIC_KEY,
  EXIT_ACCOUNT,
  groupId,
  INTERNAL_ADDRESS,
  l2TransactionId,
  leafKey,
  type TransactionId
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
  const { random, schedule } = context
  const [, second] = planned
  // no request can name key 0, which means none
  const isLinked = second !== undefined &&
    accountOf(world, second.toAccountIndex)?.publicKey !== EMPTY_PUBLIC_KEY &&
    schedule.takeDue("linkedTransactions")
  const unsigned = planned.map((feed, position) => {
    // the request names a transfer to a key, so the requested transaction must be one
    const type = isLinked && position === 1 ? "TransferToBJJ" : typeOf(context, world, feed)
    const lastBatch = schedule.takeDue("lastBatch")
      ? { maxNumBatch: world.lastBatchNum + random.integer(2, 9) }
      : {}
    return unsignedOf(world, feed, type, lastBatch)
  })
  if (isLinked) {
    const { toAccountIndex, ...request } = requestOf(unsigned[1]!.transaction)
    unsigned[0] = withMembers(unsigned[0]!, {
      request: { ...request, toAccountIndex: toAccountIndex ?? 0 }
    })
  }
  const last = planned.at(-1)
  if (last !== undefined && schedule.takeDue("nonceGap")) {
    unsigned.push(unsignedOf(world, { ...last, nonce: last.nonce + 1000n }, "Transfer"))
  }
  // a replacement with the same nonce: it becomes invalid when the first transaction is forged
  if (last !== undefined && schedule.takeDue("replacement")) {
    unsigned.push(unsignedOf(world, { ...last, fee: last.fee === 0 ? 1 : 0 }, "Transfer"))
  }
  return unsigned.map((each) => sign(context, each))
}

/** Returns another fee for the first of these transactions that a wallet can replace, signed again. */
export function signReplacement(
  context: Context,
  entries: ReadonlyArray<SubmittedTransaction>
): ReadonlyArray<Replacement> {
  const replaced = entries.find(({ transaction: { fee, request, type } }) =>
    request === null && type === "Transfer" && fee > 0 && fee < 30
  )
  if (replaced === undefined || !context.schedule.takeDue("put")) return []
  const { fee, id } = replaced.transaction
  return [{ replaced: id, entry: sign(context, withMembers(replaced, { fee: fee - 1 })) }]
}

/** A submission that replaces a transaction of the pool. */
export interface Replacement {
  readonly replaced: TransactionId
  readonly entry: SubmittedTransaction
}

/** Returns a group of two transfers that require each other; none if fewer are planned. */
export function signGroup(
  context: Context,
  world: World,
  planned: ReadonlyArray<PlannedL2>
): ReadonlyArray<SubmittedGroup> {
  const [first, second] = planned.map((feed) => unsignedOf(world, feed, "Transfer"))
  if (first === undefined || second === undefined) return []
  const entries = [
    sign(context, withMembers(first, { request: requestOf(second.transaction) })),
    sign(context, withMembers(second, { request: requestOf(first.transaction) }))
  ]
  const transactions = entries.map(({ transaction }, position) => ({
    ...transaction,
    requestOffset: position === 0 ? 1 : 7
  }))
  const id = groupId(transactions.map((each) => each.id), keccak256)
  return [{ group: { id, transactions }, entries }]
}

/** An atomic group, and its transactions. */
export interface SubmittedGroup {
  readonly group: PostedGroup
  readonly entries: ReadonlyArray<SubmittedTransaction>
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
  readonly entry: SubmittedTransaction
  readonly authorizations: ReadonlyArray<PostedAuthorization>
} {
  const { wallets, random } = context
  const newcomer = wallets.user(random.integer(0, world.users + 10))
  const tokenId = accountOf(world, feed.fromAccountIndex)?.tokenId
  const isKnown = world.accounts.some((account) =>
    account.tokenId === tokenId && leafKey(account.publicKey) === newcomer.publicKey
  )
  if (isKnown || feed.toAccountIndex === EXIT_ACCOUNT) {
    const entry = sign(context, unsignedOf(world, feed, typeOf(context, world, feed)))
    return { entry, authorizations: [] }
  }
  const type = newcomer.address === INTERNAL_ADDRESS ? "TransferToBJJ" : "TransferToEthAddr"
  const unsigned = unsignedOf(world, feed, type, destinationOf(newcomer, type, feed.toAccountIndex))
  // the account of the receiver does not exist yet
  const entry = sign(context, { ...unsigned, receiver: null })
  return { entry, authorizations: authorizationBy(context, newcomer) }
}

function authorizationBy(
  { wallets }: Context,
  wallet: Wallet
): ReadonlyArray<PostedAuthorization> {
  const signature = wallets.authorization(wallet)
  return signature === null
    ? []
    : [{ address: wallet.address, publicKey: wallet.publicKey, signature }]
}

const TYPES = ["Transfer", "Transfer", "TransferToEthAddr", "TransferToBJJ"] as const

function typeOf(
  { random }: Context,
  world: World,
  { toAccountIndex }: PlannedL2
): PoolTransactionType {
  if (toAccountIndex === EXIT_ACCOUNT) return "Exit"
  const type = random.oneOf(TYPES)
  const receiver = accountOf(world, toAccountIndex)
  // key 0 means none
  if (receiver?.publicKey === EMPTY_PUBLIC_KEY) return "Transfer"
  const isInternal = receiver?.address === INTERNAL_ADDRESS
  // internal accounts share one address, and a transfer to a key reaches internal accounts only
  return type === (isInternal ? "TransferToEthAddr" : "TransferToBJJ") ? "Transfer" : type
}

/** A submission before it is signed. */
interface Unsigned extends Omit<SubmittedTransaction, "transaction"> {
  readonly transaction: Omit<PostedTransaction, "id" | "signature">
}

/** Returns what the sender of a planned transaction signs; an exit has its own type. */
function unsignedOf(
  world: World,
  { amount, fee, fromAccountIndex, nonce, toAccountIndex }: PlannedL2,
  type: PoolTransactionType,
  members: Partial<PostedTransaction> = {}
): Unsigned {
  const { publicKey: sender, tokenId } = accountOf(world, fromAccountIndex)!
  const receiver = accountOf(world, toAccountIndex)
  const transaction = {
    type: toAccountIndex === EXIT_ACCOUNT ? "Exit" : type,
    tokenId,
    fromAccountIndex,
    ...destinationOf(receiver, type, toAccountIndex),
    amount,
    fee,
    nonce,
    request: null,
    ...members
  }
  return { transaction, sender, toAccountIndex, receiver: receiver?.publicKey ?? null }
}

const withMembers = (unsigned: Unsigned, members: Partial<PostedTransaction>): Unsigned => ({
  ...unsigned,
  transaction: { ...unsigned.transaction, ...members }
})

/** Signs a transaction of a wallet of the simulator. */
function sign({ settings, wallets }: Context, unsigned: Unsigned): SubmittedTransaction {
  const { transaction } = unsigned
  const hash = transactionHash(transaction, settings.network.chainId)
  return {
    ...unsigned,
    transaction: {
      ...transaction,
      id: Result.getOrThrow(l2TransactionId(transaction, keccak256)),
      signature: wallets.sign(wallets.find(unsigned.sender)!, hash)
    }
  }
}

function destinationOf(
  receiver: Pick<Wallet, "address" | "publicKey"> | undefined,
  type: PoolTransactionType,
  toAccountIndex: AccountIndex
): Pick<PostedTransaction, "toAccountIndex" | "toAddress" | "toPublicKey"> {
  if (receiver === undefined || type === "Transfer" || type === "Exit") {
    return { toAccountIndex, toAddress: null, toPublicKey: null }
  }
  const isToAddress = type === "TransferToEthAddr"
  return {
    toAccountIndex: null,
    toAddress: isToAddress ? receiver.address : INTERNAL_ADDRESS,
    toPublicKey: isToAddress ? null : leafKey(receiver.publicKey)
  }
}
