import { Effect } from "effect"
import { fromItemMax } from "../../contract/mod.ts"
import type { PoolTransaction, PostedTransaction, Transaction } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type { PoolChange, StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "./_optimistic_change.ts"
import { isForgedAs } from "./_same_transaction.ts"

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
