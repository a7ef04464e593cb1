import { Result } from "effect"
import {
  type Authorization,
  type PoolState,
  poolStates,
  type PoolTransaction,
  poolTransactionTypes,
  type PoolTransition,
  type PostedTransaction,
  type RequestedTransaction,
  type SkippedTransaction
} from "../../../core/domain/mod.ts"
import {
  type GroupId,
  type Keccak256,
  l2TransactionId,
  type TransactionId
} from "../../../core/encoding/mod.ts"
import type {
  PoolChange,
  PoolFilters,
  PoolParty,
  TransactionOwners
} from "../../../core/ports/mod.ts"
import type { SeededRandom } from "../_seeded_random.ts"

/**
 * Returns the transaction with this number. There are few accounts and nonces, so that transactions
 * compete.
 */
export function poolTransactionOf(
  number: number,
  random: SeededRandom,
  timestampMs: number
): PoolTransaction {
  return {
    ...random.chance(0.5) ? {} : { maxNumBatch: 1 + random.below(6) },
    id: idOf(number),
    tokenId: random.below(3),
    fromAccountIndex: 256 + random.below(3),
    ...destinationOf(random),
    amount: BigInt(1 + random.below(4)) * 10n ** 6n,
    fee: random.of([0, 126, 150, 192]),
    nonce: BigInt(random.below(5)),
    signature: String(number).padStart(128, "0"),
    request: null,
    state: "pend",
    timestampMs,
    batchNum: null,
    ...random.chance(0.15) ? random.of(extremes) : {}
  }
}

/** An account and a token with the greatest index. */
export const greatest = { account: 2 ** 48 - 1, token: 2 ** 32 - 1 }
const greatestTransfer = {
  type: "TransferToBJJ" as const,
  fromAccountIndex: greatest.account,
  toAccountIndex: greatest.account,
  toAddress: `0x${"f".repeat(40)}`,
  toPublicKey: "fe".repeat(32),
  tokenId: greatest.token,
  amount: 34359738367n * 10n ** 31n,
  fee: 255,
  nonce: 2n ** 40n - 1n
}
const noRequest: RequestedTransaction = {
  fromAccountIndex: null,
  toAccountIndex: null,
  toAddress: null,
  toPublicKey: null,
  tokenId: null,
  amount: null,
  fee: null,
  nonce: null
}

/** The greatest and the least values, and requests with them and with none. */
const extremes: ReadonlyArray<Partial<PoolTransaction>> = [
  {
    ...greatestTransfer,
    signature: "aB".repeat(64),
    request: { ...requestOf(greatestTransfer), nonce: 2n ** 64n - 1n }
  },
  { toAccountIndex: null, amount: 0n, fee: 0, request: noRequest },
  { request: { ...noRequest, fee: 0, nonce: 0n, tokenId: 0, amount: 0n, toAccountIndex: 0 } }
]

/** Returns a short text, or one with characters that a store has to escape. */
const reasonOf = (kind: string, random: SeededRandom): string =>
  `${kind} ${random.below(100)}${
    random.chance(0.2) ? ' of half \ud800, \0, \\u0000, "quoted" and {braces}, é 😀' : ""
  }`

/**
 * Returns a transfer from the first account to the second, with some parts replaced; the id follows
 * from the rest.
 */
export function postedTransferOf(
  parts: Partial<PostedTransaction>,
  keccak256: Keccak256
): PostedTransaction {
  const body = { tokenId: 0, fromAccountIndex: 256, amount: 1000n, fee: 126, nonce: 0n, ...parts }
  return {
    type: "Transfer",
    toAccountIndex: 257,
    toAddress: null,
    toPublicKey: null,
    signature: "0".repeat(128),
    request: null,
    id: Result.getOrElse(l2TransactionId(body, keccak256), () => idOf(0)),
    ...body
  }
}

/** Returns the request fields that name a transaction. */
export function requestOf(
  { amount, fee, fromAccountIndex, nonce, toAccountIndex, toAddress, toPublicKey, tokenId }: Omit<
    PostedTransaction,
    "id" | "type" | "signature" | "request"
  >
): RequestedTransaction {
  return {
    amount,
    fee,
    fromAccountIndex,
    nonce,
    toAccountIndex,
    toAddress,
    toPublicKey,
    tokenId
  }
}

/**
 * Returns the transactions of a group in which each requires another one and all are connected,
 * whatever their number: those at even positions require the one two positions later, those at odd
 * ones two positions earlier.
 */
export const connectTransactions = <T extends PostedTransaction>(
  transactions: ReadonlyArray<T>
): ReadonlyArray<T & { readonly requestOffset: number }> => {
  const { length } = transactions
  const next = (position: number): number =>
    position % 2 === 0
      ? position + 2 < length ? position + 2 : position + 1 < length ? position + 1 : position - 1
      : Math.max(0, position - 2)
  return transactions.map((transaction, position) => ({
    ...transaction,
    request: requestOf(transactions[next(position)]!),
    requestOffset: (next(position) - position + 8) % 8
  }))
}

/** Returns a group with the transactions of these numbers. */
export const poolGroupOf = (
  numbers: ReadonlyArray<number>,
  random: SeededRandom,
  timestampMs: number
): ReadonlyArray<PoolTransaction> => {
  const id = groupIdOf(numbers)
  const all = numbers.map((number) => poolTransactionOf(number, random, timestampMs))
  return connectTransactions(all).map(({ requestOffset, ...transaction }, position) => ({
    ...transaction,
    group: { id, position, size: all.length, requestOffset }
  }))
}

/** Returns the id of the group with the transactions of these numbers. */
export const groupIdOf = (numbers: ReadonlyArray<number>): GroupId =>
  `0x${numbers.map((number) => String(number).padStart(4, "0")).join("").padStart(64, "0")}`

const destinationOf = (
  random: SeededRandom
): Pick<PoolTransaction, "type" | "toAccountIndex" | "toAddress" | "toPublicKey"> => {
  const none = { toAccountIndex: null, toAddress: null, toPublicKey: null }
  const number = random.below(2)
  switch (random.below(4)) {
    case 0:
      return { ...none, type: "Exit", toAccountIndex: 1 }
    case 1:
      return { ...none, type: "Transfer", toAccountIndex: 256 + number }
    case 2:
      return { ...none, type: "TransferToEthAddr", toAddress: addressOf(number) }
    default:
      return {
        ...none,
        type: "TransferToBJJ",
        toAddress: `0x${"f".repeat(40)}`,
        toPublicKey: keyOf(number)
      }
  }
}

const addressOf = (number: number): string => `0x${String(number).padStart(40, "0")}`

/** Returns filters of the list of a pool with these transactions. */
export const poolFiltersOf = (
  random: SeededRandom,
  groups: ReadonlyArray<GroupId>
): PoolFilters => {
  const partyOf = (): PoolParty => ({
    accounts: random.some([1, 256, 257, 258, 259], 0.3),
    ...random.of([{}, { address: addressOf(random.below(3)) }, {
      publicKey: keyOf(random.below(3))
    }])
  })
  return {
    ...random.chance(0.2) ? { id: idOf(random.below(12)) } : {},
    ...random.chance(0.2) ? { group: random.of(groups) } : {},
    ...random.chance(0.4) ? { states: random.some(poolStates, 0.5) } : {},
    ...random.chance(0.3) ? { type: random.of(poolTransactionTypes) } : {},
    ...random.chance(0.3) ? { tokenId: random.below(4) } : {},
    ...random.chance(0.3) ? { party: partyOf() } : {},
    ...random.chance(0.3) ? { from: partyOf() } : {},
    ...random.chance(0.3) ? { to: partyOf() } : {}
  }
}

/** Returns a different pending exit for each number. */
export const pendingExit = (
  number: number,
  parts: Partial<PoolTransaction> = {}
): PoolTransaction => ({
  id: idOf(number),
  type: "Exit",
  tokenId: 0,
  fromAccountIndex: 256,
  toAccountIndex: 1,
  toAddress: null,
  toPublicKey: null,
  amount: 10n ** 6n,
  fee: 126,
  nonce: 0n,
  signature: "0".repeat(128),
  request: null,
  state: "pend",
  timestampMs: 1000,
  batchNum: null,
  ...parts
})

export const idOf = (number: number): TransactionId => `0x02${String(number).padStart(64, "0")}`

/** Returns owners with this number; the receiver has one only if a transfer names an account. */
export const ownersOf = (number: number, { type }: Partial<PoolTransaction> = {}) =>
  ({
    sender: ownerOf(number),
    receiver: type === "Transfer" ? ownerOf(number + 1) : null
  }) satisfies TransactionOwners

const ownerOf = (number: number) => ({ address: addressOf(number), publicKey: keyOf(number) })

/** Returns an authorization of the owner with this number. */
export const authorizationOf = (number: number): Authorization => ({
  ...ownerOf(number),
  signature: `0x${"1".repeat(130)}`,
  timestampMs: 5
})

export const keyOf = (number: number): string => String(number).padStart(64, "0")

/** Returns a change whose expected old state is not always the actual one. */
export function changeOf(
  id: TransactionId,
  random: SeededRandom,
  of: PoolTransaction | null
): PoolChange {
  const to = random.of<PoolState | null>(["pend", "fing", "fged", "invl", null])
  const honest = of !== null && random.chance(0.7)
  return {
    id,
    from: honest ? of.state : random.of(["pend", "fing", "fged", "invl"]),
    fromBatchNum: honest ? of.batchNum : random.chance(0.5) ? null : random.below(6),
    to,
    batchNum: to === "pend" || to === null
      ? null
      : random.chance(0.05)
      ? 2 ** 32 - 1
      : random.below(6),
    reason: reasonOf("Change", random)
  }
}

export const noteOf = (
  id: TransactionId,
  random: SeededRandom,
  atMs: number
): SkippedTransaction => ({
  id,
  code: random.of([11, 12, 14]),
  reason: reasonOf("Note", random),
  batchNum: random.below(6),
  atMs
})

/**
 * Describes the first error in the recorded transitions of a transaction with this current state;
 * undefined if there is none.
 */
export function brokenStep(
  steps: ReadonlyArray<PoolTransition>,
  now: PoolTransaction | null
): string | undefined {
  let state: PoolState | null = null
  let atMs = 0
  for (const step of steps) {
    if (step.from !== state) return `a step from ${step.from} follows one to ${state}`
    if (step.atMs < atMs) return `a step at ${step.atMs} follows one at ${atMs}`
    if (step.reason === "") return `a step to ${step.to} has no reason`
    ;({ atMs, to: state } = step)
  }
  if (state !== (now?.state ?? null)) {
    return `the last step leads to ${state}, but the transaction is ${
      now?.state ?? "not in the pool"
    }`
  }
  const last = steps.at(-1)
  return now !== null && last?.batchNum !== now.batchNum
    ? `the last step names batch ${last?.batchNum}, but the transaction ${now.batchNum}`
    : undefined
}
