import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { PoolTransaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, PublicKey, TransactionId } from "../../../core/encoding/mod.ts"
import type { Added, Pooled, PoolLimits } from "../../../core/ports/mod.ts"
import {
  insertParameters,
  insertStatement,
  type PoolTransactionRow,
  transactionColumns,
  transactionOf
} from "./pool_rows.ts"
import { bigintList, byteaList } from "./pool_values.ts"
import { PoolRecord, RECORD_PARAMETERS, recording } from "./_record.ts"
import type { Turn } from "./_turn.ts"

/** A transaction that somebody wants to have in the pool. */
export interface Posted {
  readonly transaction: PoolTransaction
  readonly sender: PublicKey
  readonly limits: PoolLimits
}

/** Takes transactions in, one after the other, and tells of each what became of it. */
export const addInTurn = (
  sql: SqlClient.SqlClient,
  turn: Turn,
  all: ReadonlyArray<Posted>
): Effect.Effect<ReadonlyArray<Added>, SqlError.SqlError> =>
  Effect.gen(function*() {
    const { known, record } = yield* situationOf(sql, turn, all)
    const rows: Array<Pooled> = []
    const answers = all.map((posted): Added => {
      const { limits: { pendingMax, pendingPerAccountMax }, sender, transaction } = posted
      const { batchNum, fromAccountIndex, id, state: to, timestampMs: atMs } = transaction
      const stored = known.get(id)
      if (stored !== undefined) return { kind: "known", transaction: stored }
      if (record.counts.pend >= pendingMax) return { kind: "full", limit: "pendingMax" }
      if (record.pendingOf(fromAccountIndex) >= pendingPerAccountMax) {
        return { kind: "full", limit: "pendingPerAccountMax" }
      }
      known.set(id, transaction)
      rows.push({ transaction, sender, sinceMs: atMs, arrival: record.nextArrival++ })
      record.note(fromAccountIndex, { id, from: null, to, atMs, batchNum, reason: "Posted" })
      return { kind: "added" }
    })
    if (rows.length > 0) yield* sql.unsafe(add, [...record.parameters, ...insertParameters(rows)])
    return answers
  })

const add = recording(insertStatement(RECORD_PARAMETERS))

/** Of each posted transaction how many its account has, and the one of that id where there is one. */
const situation = `
SELECT wanted.account, coalesce(pool_sender.pending, 0) AS pending, ${transactionColumns}
FROM unnest($1::bytea[], $2::bigint[]) AS wanted (id, account)
LEFT JOIN pool_sender ON pool_sender.account_index = wanted.account
LEFT JOIN pool_transaction AS t ON t.id = wanted.id`

const situationOf = (sql: SqlClient.SqlClient, turn: Turn, all: ReadonlyArray<Posted>) => {
  const parameters = [
    byteaList(all.map(({ transaction }) => transaction.id)),
    bigintList(all.map(({ transaction }) => transaction.fromAccountIndex))
  ]
  return Effect.map(sql.unsafe<SituationRow>(situation, parameters), (rows) => {
    const known = new Map<TransactionId, PoolTransaction>()
    const pending = new Map<AccountIndex, number>()
    for (const row of rows) {
      pending.set(Number(row.account), Number(row.pending))
      if (row.id === null) continue
      const transaction = transactionOf(row)
      known.set(transaction.id, transaction)
    }
    return { known, record: new PoolRecord(turn, pending) }
  })
}

type SituationRow =
  & { readonly account: bigint; readonly pending: bigint }
  & (PoolTransactionRow | { readonly id: null })
