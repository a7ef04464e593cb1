import { Effect } from "effect"
import type { PoolTransaction } from "../../domain/mod.ts"
import type { GroupId, TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, Pooled, StoreFailure } from "../../ports/mod.ts"
import { changeOf, type PoolPorts } from "./_optimistic_change.ts"

/** Returns the rows without those of groups that are not complete. */
export const wholeGroups = (rows: ReadonlyArray<Pooled>): ReadonlyArray<Pooled> => {
  const byGroup = Map.groupBy(rows, ({ transaction }) => transaction.group?.id)
  return rows.filter(({ transaction: { group } }) =>
    group === undefined || byGroup.get(group.id)?.length === group.size
  )
}

/** Returns the rows, and all other transactions of their groups. */
export const withMembers = Effect.fnUntraced(
  function*({ pool }: Pick<PoolPorts, "pool">, rows: ReadonlyArray<Pooled>) {
    const groups = groupsOf(rows)
    if (groups.length === 0) return rows
    const known = new Set(rows.map(({ transaction }) => transaction.id))
    const others = (yield* pool.members(groups)).filter(({ transaction }) =>
      !known.has(transaction.id)
    )
    return [...rows, ...others]
  }
)

/**
 * Completes changes that follow from the ledger, so that they agree with each other within a group.
 * The first batch that uses the nonce of a transaction of a group decides for the whole group: its
 * transactions that are not forged are invalid since that batch. So a group is pending as a whole or
 * not at all, and its states depend only on the blocks, not on rollbacks in between.
 *
 * @param rows the transactions that change
 * @param lastBatchNum transactions that are forged in later batches are not in the ledger yet
 */
export const completeGroups = Effect.fnUntraced(function*(
  ports: Pick<PoolPorts, "pool">,
  changes: ReadonlyArray<PoolChange>,
  rows: ReadonlyArray<Pooled>,
  lastBatchNum: number
): Effect.fn.Return<ReadonlyArray<PoolChange>, StoreFailure> {
  const groups = groupsOf(rows)
  if (groups.length === 0) return changes
  const completed = new Map<TransactionId, PoolChange>(changes.map((each) => [each.id, each]))
  const members = Map.groupBy(
    yield* ports.pool.members(groups),
    ({ transaction }) => transaction.group!.id
  )
  for (const group of members.values()) {
    const closed = group.flatMap(({ transaction }) => {
      const next = nextState(transaction, completed)
      return isOpen(next, lastBatchNum) ? [] : [{ ...next, batchNum: next.batchNum! }]
    })
    const [first] = closed.toSorted((a, b) => a.batchNum - b.batchNum)
    if (first === undefined) continue
    for (const row of group) {
      const { batchNum, id, state } = row.transaction
      const next = nextState(row.transaction, completed)
      const isDecided = next.state === "fged" || next.batchNum === first.batchNum
      if (isDecided && !isOpen(next, lastBatchNum)) continue
      completed.delete(id)
      if (state === "invl" && batchNum === first.batchNum) continue
      const firstState = first.state === "fged" ? "forged" : "invalid"
      const reason =
        `Transaction ${first.id} of its group is ${firstState} since batch ${first.batchNum}`
      completed.set(id, changeOf(row, "invl", first.batchNum, reason))
    }
  }
  return [...completed.values()]
})

/** Returns the state of a transaction after the changes. */
const nextState = (
  { batchNum, id, state }: PoolTransaction,
  changes: ReadonlyMap<TransactionId, PoolChange>
) => {
  const change = changes.get(id)
  return change === undefined
    ? { id, state, batchNum }
    : { id, state: change.to!, batchNum: change.batchNum }
}

/** Returns whether the ledger has not decided about a transaction. */
const isOpen = (
  { batchNum, state }: Pick<PoolTransaction, "batchNum" | "state">,
  lastBatchNum: number
): boolean => state === "pend" || state === "fing" || (state === "fged" && batchNum! > lastBatchNum)

const groupsOf = (rows: ReadonlyArray<Pooled>): ReadonlyArray<GroupId> => [
  ...new Set(rows.flatMap(({ transaction }) => transaction.group?.id ?? []))
]
