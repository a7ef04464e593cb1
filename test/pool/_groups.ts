import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { PostedGroup, PostedTransaction } from "../../core/domain/mod.ts"
import { groupId } from "../../core/encoding/mod.ts"
import { connectTransactions } from "../laws/pool/_pool_rows.ts"

export { requestOf } from "../laws/pool/_pool_rows.ts"

/** Returns the id of the group of these transactions. */
export const idOfGroup = (transactions: ReadonlyArray<Pick<PostedTransaction, "id">>) =>
  groupId(transactions.map(({ id }) => id), keccak256)

/** Returns a group of these transactions, whatever their number. */
export const groupOf = (transactions: ReadonlyArray<PostedTransaction>): PostedGroup => ({
  id: idOfGroup(transactions),
  transactions: connectTransactions(transactions)
})
