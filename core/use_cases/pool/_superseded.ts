import type {
  PostedAuthorization,
  PostedTransaction,
  RequestedTransaction,
  Transaction,
  PoolTransaction
} from "../../domain/mod.ts"
import { EXIT_ACCOUNT, type AccountIndex } from "../../encoding/mod.ts"
import { Effect } from "effect"
import { fromItemMax } from "../../contract/mod.ts"
import type { PoolChange, StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "./_optimistic_change.ts"

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
 * transaction itself was forged, or another one superseded it. Their states begin with the batch
 * that used the nonce, so that they end if this batch is rolled back.
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
      if (nonce >= nonces.get(fromAccountIndex)!) continue
      const used = yield* usedIn(reader, transaction)
      // it was rolled back in the meantime
      if (used === null) continue
      const { batchNum } = used
      changes.push({
        id,
        from: "pend",
        fromBatchNum: null,
        batchNum,
        ...used.id === id && isForgedAs(transaction, used)
          ? { to: "fged", reason: forgedReason(batchNum) }
          : { to: "invl", reason: supersededReason(transaction, batchNum) }
      })
    }
    return changes
  }
)

/** Returns the transaction that used a nonce of its sender; null if the ledger has none. */
const usedIn = Effect.fnUntraced(function*(
  reader: PoolPorts["reader"],
  { fromAccountIndex, nonce }: PoolTransaction
): Effect.fn.Return<Transaction & { readonly batchNum: number } | null, StoreFailure> {
  let fromItem = fromItemMax
  for (;;) {
    const items = yield* reader.list("transactions", {
      filters: { fromAccountIndex },
      order: "DESC",
      fromItem,
      limit: PAGE
    }).pipe(
      Effect.map((page) => page.items),
      // a rollback has removed the account
      Effect.catchTag("NotRegistered", () => Effect.succeed([]))
    )
    for (const { transaction } of items) {
      const { batchNum, l2 } = transaction
      if (l2 === null || batchNum === null) continue
      if (l2.nonce === nonce) return { ...transaction, batchNum }
      if (l2.nonce < nonce) return null
    }
    if (items.length < PAGE) return null
    fromItem = items.at(-1)!.transaction.itemId - 1
  }
})

/** Number of transactions in a read. */
const PAGE = 100

export const forgedReason = (batchNum: number): string => `Forged in batch ${batchNum}`

export const supersededReason = (
  { fromAccountIndex, nonce }: PostedTransaction,
  batchNum: number
): string =>
  `Nonce ${nonce} of account ${fromAccountIndex} was used by another transaction in batch ${batchNum}`
