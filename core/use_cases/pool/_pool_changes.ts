import { Effect } from "effect"
import { type FullBatch, isSameOwner, type Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { PoolChange, Pooled } from "../../ports/mod.ts"
import { decisionsOf, forgedReason } from "./_decisions.ts"
import { completeGroups } from "./_groups.ts"
import { changeOf, inBatches, listAll, type PoolPorts } from "./_optimistic_change.ts"
import { isForgedAs } from "./_same_transaction.ts"

/** Returns the changes of the pool after a batch of the ledger, forged by this or another node. */
export const changesOfBatch = Effect.fnUntraced(
  function*(ports: PoolPorts, { batch: { batchNum }, transactions }: FullBatch) {
    const { pool } = ports
    const { createdAccounts, forged, nextNonces } = contentOf(transactions)
    const forgedRows = yield* pool.pooled([...forged.keys()])
    // a transaction that leaves the state pending in between is in both results
    const pending = [
      ...yield* pool.pendingBelow(
        [...nextNonces].map(([index, nonce]) => ({ index, nonce }))
      ),
      ...yield* pool.pendingExpired(batchNum + 1)
    ]
    const inProgress = [
      ...yield* inBatches(ports, ["fing", "fged"], batchNum),
      // a coordinator marked these as invalid
      ...yield* inBatches(ports, ["invl"], batchNum + 1)
    ]
    const ofCreated = yield* pendingOfAccounts(ports, createdAccounts)
    const byId = new Map(
      [...pending, ...ofCreated, ...inProgress].map((row) => [row.transaction.id, row])
    )
    const others = [...byId.values()].filter(({ transaction }) => !forged.has(transaction.id))
    const changes = [
      ...forgedRows.flatMap((row) => forgedChange(row, forged.get(row.transaction.id)!, batchNum)),
      ...yield* changesToDecisions(
        ports,
        others,
        batchNum,
        (row) => row.transaction.batchNum === batchNum ? leftOutChange(row) : undefined
      )
    ]
    return yield* completeGroups(ports, changes, [...forgedRows, ...others], batchNum)
  }
)

/**
 * Returns the changes of the rows to what the batches up to `lastBatchNum` decide, and the changes of
 * the others.
 *
 * @param changeOther returns the change of a transaction without a decision
 */
export const changesToDecisions = Effect.fnUntraced(
  function*(
    ports: PoolPorts,
    rows: ReadonlyArray<Pooled>,
    lastBatchNum: number,
    changeOther: (row: Pooled) => PoolChange | undefined
  ) {
    const decisions = yield* decisionsOf(ports, rows, lastBatchNum)
    const decided = rows.flatMap((row) => {
      const decision = decisions.get(row.transaction.id)
      if (decision === undefined) return []
      const { batchNum, reason, state } = decision
      return state === row.transaction.state && batchNum === row.transaction.batchNum
        ? []
        : [changeOf(row, state, batchNum, reason)]
    })
    const others = rows.filter(({ transaction }) => !decisions.has(transaction.id))
    return [...decided, ...others.flatMap((row) => changeOther(row) ?? [])]
  }
)

/**
 * Returns the changes that end the states which follow from batches after `lastBatchNum`: to what
 * earlier batches decide, or else to pending.
 */
export const changesToPending = Effect.fnUntraced(
  function*(ports: PoolPorts, lastBatchNum: number, reason: string) {
    const rows = yield* inBatches(ports, ["fing", "fged", "invl"], lastBatchNum + 1)
    const changes = yield* changesToDecisions(
      ports,
      rows,
      lastBatchNum,
      (row) => changeOf(row, "pend", null, reason)
    )
    return yield* completeGroups(ports, changes, rows, lastBatchNum)
  }
)

/** Returns the change of a transaction that its batch does not contain. */
export const leftOutChange = (row: Pooled): PoolChange =>
  changeOf(row, "pend", null, `Batch ${row.transaction.batchNum} was forged without it`)

/** Returns the L2 transactions of a batch, the nonces after those it uses, and its new accounts. */
function contentOf(transactions: FullBatch["transactions"]) {
  const forged = new Map<TransactionId, Transaction>()
  const nextNonces = new Map<AccountIndex, bigint>()
  const createdAccounts: Array<AccountIndex> = []
  for (const { transaction } of transactions) {
    const { fromAccountIndex, id, l2, type } = transaction
    if (l2 === null) {
      if (type.startsWith("CreateAccount")) createdAccounts.push(fromAccountIndex!)
      continue
    }
    forged.set(id, transaction)
    // the nonces of an account ascend within a batch
    nextNonces.set(fromAccountIndex!, l2.nonce + 1n)
  }
  return { createdAccounts, forged, nextNonces }
}

/** Returns the pending transactions that send from or pay to accounts. */
const pendingOfAccounts = Effect.fnUntraced(
  function*(ports: PoolPorts, accounts: ReadonlyArray<AccountIndex>) {
    if (accounts.length === 0) return []
    const items = yield* listAll(ports, { party: { accounts }, states: ["pend"] })
    return items.map(({ pooled }) => pooled)
  }
)

function forgedChange(
  row: Pooled,
  forged: Transaction,
  batchNum: number
): ReadonlyArray<PoolChange> {
  const { sender, transaction } = row
  const difference = isForgedAs(transaction, forged)
    ? isSameOwner({ address: forged.fromAddress!, publicKey: forged.fromPublicKey! }, sender)
      ? null
      : "owner"
    : "destination"
  if (difference !== null) {
    return transaction.state === "invl" ? [] : [
      changeOf(
        row,
        "invl",
        batchNum,
        `A transaction with the same id and another ${difference} was forged in batch ${batchNum}`
      )
    ]
  }
  return transaction.state === "fged" && transaction.batchNum === batchNum
    ? []
    : [changeOf(row, "fged", batchNum, forgedReason(batchNum))]
}
