import type {
  PostedAuthorization,
  PostedTransaction,
  RequestedTransaction,
  Transaction,
  PoolTransaction
} from "../../domain/mod.ts"
import { EXIT_ACCOUNT, type AccountIndex } from "../../encoding/mod.ts"
import { Effect } from "effect"
import type { PoolChange } from "../../ports/mod.ts"
import { completeGroups } from "./_groups.ts"
import { changeIfUnsettled, type PoolPorts } from "./_optimistic_change.ts"

/** Returns whether two posted transactions with the same id are equal in all other fields. */
export const isSamePosted = (a: PostedTransaction, b: PostedTransaction): boolean =>
  a.type === b.type && a.signature === b.signature && isSameDestination(a, b) &&
  (a.maxNumBatch ?? 0) === (b.maxNumBatch ?? 0) && isSameRequest(a.request, b.request)

/** Returns whether two authorizations of the same address are equal. */
export const isSameAuthorization = (a: PostedAuthorization, b: PostedAuthorization): boolean =>
  a.publicKey === b.publicKey && a.signature === b.signature

/**
 * Returns whether a forged transaction with the same id is this one. The destination can differ,
 * since the id does not cover it.
 */
export function isForgedAs(
  { toAccountIndex, toAddress, toPublicKey, type }: PostedTransaction,
  forged: Transaction
): boolean {
  switch (type) {
    case "Exit":
      return forged.toAccountIndex === EXIT_ACCOUNT
    case "Transfer":
      return forged.toAccountIndex === toAccountIndex
    case "TransferToEthAddr":
      return forged.toAddress === toAddress
    case "TransferToBJJ":
      return forged.toAddress === toAddress && forged.toPublicKey === toPublicKey
  }
}

/** Returns whether a transaction is the requested one. */
export const isRequested = (posted: PostedTransaction, request: RequestedTransaction): boolean =>
  posted.fromAccountIndex === request.fromAccountIndex && posted.tokenId === request.tokenId &&
  posted.amount === request.amount &&
  posted.fee === request.fee && posted.nonce === request.nonce &&
  (posted.toAccountIndex ?? 0) === (request.toAccountIndex ?? 0) &&
  posted.toAddress === request.toAddress && posted.toPublicKey === request.toPublicKey

type Destination = Pick<PostedTransaction, "toAccountIndex" | "toAddress" | "toPublicKey">

const isSameDestination = (a: Destination, b: Destination): boolean =>
  a.toAccountIndex === b.toAccountIndex && a.toAddress === b.toAddress &&
  a.toPublicKey === b.toPublicKey

function isSameRequest(a: RequestedTransaction | null, b: RequestedTransaction | null): boolean {
  if (a === null || b === null) return a === b
  return (Object.keys(a) as ReadonlyArray<keyof RequestedTransaction>).every((name) =>
    a[name] === b[name]
  )
}

/**
 * Returns the changes for pending transactions with a nonce that the ledger has used: the
 * transaction itself was forged, or another one superseded it.
 */
export const findSuperseded = Effect.fnUntraced(
  function*({ reader }: Pick<PoolPorts, "reader">, transactions: ReadonlyArray<PoolTransaction>) {
    const nonces = new Map<AccountIndex, bigint>()
    const changes: Array<PoolChange> = []
    for (const transaction of transactions) {
      if (transaction.state !== "pend") continue
      const { fromAccountIndex, id, nonce } = transaction
      if (!nonces.has(fromAccountIndex)) {
        nonces.set(
          fromAccountIndex,
          (yield* reader.find("account", fromAccountIndex)).item?.account.nonce ?? 0n
        )
      }
      const current = nonces.get(fromAccountIndex)!
      if (nonce >= current) continue
      const { item, stamp } = yield* reader.find("transaction", id)
      const forged = item?.transaction
      const common = { id, from: "pend", fromBatchNum: null } as const
      changes.push(
        forged !== undefined && forged.batchNum !== null && isForgedAs(transaction, forged)
          ? {
            ...common,
            to: "fged",
            batchNum: forged.batchNum,
            reason: forgedReason(forged.batchNum)
          }
          : {
            ...common,
            to: "invl",
            batchNum: stamp.batchNum ?? 0,
            reason:
              `Nonce ${nonce} of account ${fromAccountIndex} is already used: the next nonce is ${current}`
          }
      )
    }
    return changes
  }
)

/** Settles transactions that became pending after the settlement of the batch with their nonce. */
export const reconcileWithLedger = Effect.fnUntraced(
  function*(ports: PoolPorts, ...transactions: ReadonlyArray<PoolTransaction>) {
    const superseded = Effect.gen(function*() {
      const changes = yield* findSuperseded(ports, transactions)
      if (changes.length === 0) return changes
      const last = (yield* ports.reader.stamp).batchNum ?? 0
      return yield* completeGroups(ports, changes, transactions, last)
    })
    if ((yield* superseded).length > 0) yield* changeIfUnsettled(ports, () => superseded)
  }
)

export const forgedReason = (batchNum: number): string => `Forged in batch ${batchNum}`
