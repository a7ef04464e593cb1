import { Clock, Effect } from "effect"
import { type AccountOwner, isSameOwner, type PostedTransaction } from "../../../domain/mod.ts"
import type { Pooled, StoreFailure } from "../../../ports/mod.ts"
import { withMembers } from "../_groups.ts"
import { changeOf, type PoolPorts } from "../_optimistic_change.ts"
import { isSamePosted } from "../_same_transaction.ts"
import { reconcileWithLedger } from "../reconcile.ts"

/*
 * An account index can belong to another owner after a rollback. Its new owner can post a transaction
 * with the id of one that the earlier owner posted: the id covers the index, not the owner.
 */

/**
 * Returns whether a stored transaction is that of an earlier owner of the account, and not posted
 * again by this earlier owner.
 *
 * @param owner the current owner of the account; null if the account does not exist
 */
export const isOfEarlierOwner = (
  { sender, transaction }: Pooled,
  posted: PostedTransaction,
  owner: AccountOwner | null
): boolean =>
  owner !== null && !isSameOwner(sender, owner) &&
  !(isSamePosted(transaction, posted) && sender.publicKey !== owner.publicKey)

/**
 * Removes invalid transactions of earlier owners and their groups from the pool, so that the current
 * owner can post transactions with these ids. Returns false if one of them is not invalid. Call it
 * after the checks of the posted transactions.
 */
export const removeOfEarlierOwner = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    rows: ReadonlyArray<Pooled>
  ): Effect.fn.Return<boolean, StoreFailure> {
    if (rows.length === 0) return true
    // the pool may not have reconciled the batch that created the account
    yield* reconcileWithLedger(ports, rows)
    const current = yield* ports.pool.pooled(rows.map(({ transaction }) => transaction.id))
    if (current.some(({ transaction }) => transaction.state !== "invl")) return false
    const changes = (yield* withMembers(ports, current)).map((row) => {
      const { batchNum, fromAccountIndex } = row.transaction
      const reason =
        `Replaced: another owner of account ${fromAccountIndex} posted a transaction with the same id`
      return changeOf(row, null, batchNum, current.includes(row) ? reason : withGroupReason)
    })
    const removed = yield* ports.pool.change(changes, yield* Clock.currentTimeMillis)
    return removed.length === changes.length
  }
)

const withGroupReason = "Another transaction of its group was replaced"
