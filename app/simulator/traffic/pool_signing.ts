import { Result } from "effect"
import { keccak256, transactionHash } from "../../../adapters/crypto/mod.ts"
import {
  type PoolTransactionType,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction,
  requestOf,
  type RequestedTransaction
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
  const entries: Array<SubmittedTransaction> = []
  const receiver = accountOf(world, planned[1]?.toAccountIndex ?? 0)
  // no request can name key 0, which means none
  const isLinked = planned.length > 1 && receiver?.publicKey !== EMPTY_PUBLIC_KEY &&
    schedule.takeDue("linkedTransactions")
  for (const [position, feed] of planned.entries()) {
    const requested = isLinked && position === 0 ? planned[1] : undefined
    const request = requested === undefined ? null : plannedRequest(world, requested)
    // the request names a transfer to a key, so the requested transaction must be one
    const type = isLinked && position === 1 && feed.toAccountIndex !== EXIT_ACCOUNT
      ? "TransferToBJJ"
      : typeOf(context, world, feed)
    const maxNumBatch = schedule.takeDue("lastBatch")
      ? world.lastBatchNum + random.integer(2, 9)
      : undefined
    entries.push(...sign(context, world, { feed, type, request, maxNumBatch }))
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

/**
 * Returns another fee for the first of these transactions that a wallet can replace, signed again;
 * undefined if there is none.
 */
export function signReplacement(
  { schedule, settings, wallets }: Context,
  entries: ReadonlyArray<SubmittedTransaction>
): Replacement | undefined {
  const replaced = entries.find(({ transaction: { fee, request, type } }) =>
    request === null && type === "Transfer" && fee > 0 && fee < 30
  )
  const holder = replaced && wallets.find(replaced.sender)
  if (holder === undefined || !schedule.takeDue("put")) return undefined
  const { transaction } = replaced!
  const fields = { ...transaction, fee: transaction.fee - 1 }
  return {
    replaced: transaction.id,
    entry: {
      ...replaced!,
      transaction: {
        ...fields,
        id: Result.getOrThrow(l2TransactionId(fields, keccak256)),
        signature: wallets.sign(holder, transactionHash(fields, settings.network.chainId))
      }
    }
  }
}

/** A submission that replaces a transaction of the pool. */
export interface Replacement {
  readonly replaced: TransactionId
  readonly entry: SubmittedTransaction
}

/** Returns a group of two transfers that require each other; undefined if they cannot be signed. */
export function signGroup(
  context: Context,
  world: World,
  planned: ReadonlyArray<PlannedL2>
): SubmittedGroup | undefined {
  const offsets = [1, 7]
  const unsigned = planned.slice(0, 2).flatMap((feed) =>
    unsignedOf(world, { feed, type: "Transfer", request: null })
  )
  const [first, second] = unsigned
  if (first === undefined || second === undefined) return undefined
  const entries = [first, second].flatMap(({ account, fields, receiver }, position) =>
    signed(context, {
      account,
      receiver,
      type: fields.toAccountIndex === EXIT_ACCOUNT ? "Exit" : "Transfer",
      fields: { ...fields, request: requestOf({ ...unsigned[1 - position]!.fields }) }
    })
  )
  if (entries.length < 2) return undefined
  const transactions = entries.map(({ transaction }, position) => ({
    ...transaction,
    requestOffset: offsets[position]!
  }))
  const id = groupId(transactions.map((each) => each.id), keccak256)
  return { group: { id, transactions }, entries }
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
  readonly entries: ReadonlyArray<SubmittedTransaction>
  readonly authorizations: ReadonlyArray<PostedAuthorization>
} {
  const { wallets, random } = context
  const newcomer = wallets.user(random.integer(0, world.users + 10))
  const { address, publicKey } = newcomer
  const tokenId = accountOf(world, feed.fromAccountIndex)?.tokenId
  const known = world.accounts.some((account) =>
    account.tokenId === tokenId && leafKey(account.publicKey) === publicKey
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

function authorizationBy(
  { wallets }: Context,
  wallet: Wallet
): ReadonlyArray<PostedAuthorization> {
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
  readonly maxNumBatch?: number | undefined
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

function sign(
  context: Context,
  world: World,
  planned: PlannedTransfer
): ReadonlyArray<SubmittedTransaction> {
  return unsignedOf(world, planned).flatMap((unsigned) =>
    signed(context, { ...unsigned, type: planned.type })
  )
}

/** Returns what the sender signs; nothing if the sender does not exist. */
function unsignedOf(
  world: World,
  { feed, maxNumBatch, newcomer, request, type }: PlannedTransfer
) {
  const { amount, fee, fromAccountIndex, nonce, toAccountIndex } = feed
  const account = accountOf(world, fromAccountIndex)
  if (account === undefined) return []
  const receiver = newcomer ?? accountOf(world, toAccountIndex)
  const fields = {
    tokenId: account.tokenId,
    fromAccountIndex,
    ...destinationOf(receiver, type, toAccountIndex),
    amount,
    fee,
    nonce,
    request,
    ...maxNumBatch === undefined ? {} : { maxNumBatch }
  }
  // if the account of the receiver does not exist yet, the submission names no key
  const key = newcomer === undefined ? receiver?.publicKey ?? null : null
  return [{ account, fields, receiver: { index: toAccountIndex, key } }]
}

function signed(
  { settings, wallets }: Context,
  { account, fields, receiver, type }: ReturnType<typeof unsignedOf>[number] & {
    readonly type: PoolTransactionType
  }
): ReadonlyArray<SubmittedTransaction> {
  const holder = wallets.find(account.publicKey)
  if (holder === undefined) return []
  const transaction: PostedTransaction = {
    ...fields,
    id: Result.getOrThrow(l2TransactionId(fields, keccak256)),
    type: receiver.index === EXIT_ACCOUNT ? "Exit" : type,
    signature: wallets.sign(holder, transactionHash(fields, settings.network.chainId))
  }
  return [{
    transaction,
    sender: account.publicKey,
    toAccountIndex: receiver.index,
    receiver: receiver.key
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
    : {
      toAccountIndex: null,
      toAddress: INTERNAL_ADDRESS,
      toPublicKey: leafKey(receiver.publicKey)
    }
}

/** Returns a request for a transaction: a transfer to a key, or an exit without address and key. */
function plannedRequest(
  world: World,
  { amount, fee, fromAccountIndex, nonce, toAccountIndex }: PlannedL2
): RequestedTransaction {
  const receiver = accountOf(world, toAccountIndex)
  return {
    fromAccountIndex,
    toAccountIndex: receiver === undefined ? toAccountIndex : 0,
    toAddress: receiver === undefined ? null : INTERNAL_ADDRESS,
    toPublicKey: receiver === undefined ? null : leafKey(receiver.publicKey),
    tokenId: accountOf(world, fromAccountIndex)?.tokenId ?? 0,
    amount,
    fee,
    nonce
  }
}
