import { Effect } from "effect"
import { feeUnits } from "../../../core/domain/mod.ts"
import { orderedPooled, queryOf, selectRows } from "../entities/mod.ts"
import type { AuditSnapshot, AuditStatement, AuditStep } from "./_audit_snapshot.ts"

const place = (id: string): string => `'pool_transaction 0x' || encode(${id}, 'hex')`

const batchOf = (row: string): string => `coalesce(' in batch ' || ${row}.batch_num, '')`

/** The checks of what `auditPoolPorts` does not read. */
export const poolStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "pool",
    text: `
SELECT 'pool, ' || each.name AS place, each.stored::text AS found, each.least || CASE WHEN is_next THEN ' or more' ELSE '' END AS expected FROM pool CROSS JOIN LATERAL (VALUES
  ('next_transition', pool.next_transition, (SELECT count(*) FROM pool_transition), false),
  ('next_transition', pool.next_transition, (SELECT max(number) + 1 FROM pool_transition), true),
  ('next_arrival', pool.next_arrival, (SELECT max(arrival) + 1 FROM pool_transaction), true),
  ('next_write', pool.next_write, (SELECT max(number) + 1 FROM pool_write), true)
) AS each (name, stored, least, is_next) WHERE CASE WHEN is_next THEN stored < least ELSE stored <> least END`
  },
  {
    check: "pool",
    text: `
SELECT 'pool_sender ' || account_index AS place, coalesce(found.pending::text, 'no row') AS found, coalesce(there.pending::text, 'no row') AS expected
FROM (SELECT from_account_index AS account_index, count(*) AS pending FROM pool_transaction WHERE state = 'pend' GROUP BY from_account_index) AS there
FULL JOIN pool_sender AS found USING (account_index) WHERE there.pending IS DISTINCT FROM found.pending`
  },
  {
    check: "pool",
    text: `
SELECT ${
      place("id")
    } || ', arrival' AS place, arrival::text AS found, 'that of no other transaction' AS expected
FROM pool_transaction WHERE arrival IN (SELECT arrival FROM pool_transaction GROUP BY arrival HAVING count(*) > 1)`
  },
  {
    check: "pool-steps",
    text: `
SELECT ${
      place("coalesce(step.id, t.id)")
    } || coalesce(', step ' || number, '') AS place, wrong.found, wrong.expected FROM (
  SELECT *, lag(to_state) OVER steps AS before, lead(number) OVER steps IS NULL AS is_last FROM pool_transition WINDOW steps AS (PARTITION BY id ORDER BY number)
) AS step FULL JOIN pool_transaction AS t ON t.id = step.id CROSS JOIN LATERAL (VALUES
  ('no step', 'one that it entered with', step.id IS NULL),
  ('from ' || coalesce(from_state, 'nowhere'), 'from ' || coalesce(before, 'nowhere'), from_state IS DISTINCT FROM before),
  ('state ' || coalesce(t.state, 'none') || ${
      batchOf("t")
    }, 'state ' || coalesce(to_state, 'none') || ${batchOf("step")},
    is_last AND (t.state IS DISTINCT FROM to_state OR (to_state IS NOT NULL AND t.batch_num IS DISTINCT FROM step.batch_num)))
) AS wrong (found, expected, is_wrong) WHERE wrong.is_wrong`
  },
  {
    // after a rollback the last marks may be wrong until the pool reconciles, so only those before are
    // checked
    check: "pool-ledger",
    counted: "pool_mark",
    text: `
SELECT 'pool_mark ' || m.batch_num AS place, m.ethereum_block_hash AS found, coalesce('0x' || encode(batch.ethereum_block_hash, 'hex'), 'no mark, since there is no such batch') AS expected
FROM pool_mark AS m LEFT JOIN batch ON batch.batch_num = m.batch_num
WHERE m.ethereum_block_hash IS DISTINCT FROM '0x' || encode(batch.ethereum_block_hash, 'hex') AND m.batch_num < (
  SELECT max(right_one.batch_num) FROM pool_mark AS right_one JOIN batch AS b ON b.batch_num = right_one.batch_num WHERE right_one.ethereum_block_hash = '0x' || encode(b.ethereum_block_hash, 'hex')
)`
  }
]

const rows = queryOf(orderedPooled, "pool_transaction AS r")

/** Checks the fees by which the transactions in the pool are ordered. */
export const auditPoolFees = ({ findings, sql }: AuditSnapshot): AuditStep =>
  Effect.map(selectRows(sql, rows), (rows) => {
    for (const { feeUnits: stored, transaction } of rows) {
      const place = `pool_transaction ${transaction.id}, fee_units`
      findings.same("pool", place, stored, feeUnits(transaction))
    }
  })
