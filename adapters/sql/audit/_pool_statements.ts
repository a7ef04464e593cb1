import { Effect, Result } from "effect"
import { feeUnits, poolStates } from "../../../core/domain/mod.ts"
import { type Keccak256, l2TransactionId } from "../../../core/encoding/mod.ts"
import { type OrderedPooled, orderedPooled, queryOf, selectRows } from "../entities/mod.ts"
import type { AuditSnapshot, AuditStatement, AuditStep } from "./_audit_snapshot.ts"

const place = (id: string): string => `'pool_transaction 0x' || encode(${id}, 'hex')`

const batchOf = (row: string): string => `coalesce(' in batch ' || ${row}.batch_num, '')`

/** The checks of the pool alone. */
export const poolStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "pool",
    text: `
SELECT 'pool, ' || each.name AS place, each.stored::text AS found, each.least || CASE WHEN is_next THEN ' or more' ELSE '' END AS expected FROM pool CROSS JOIN LATERAL (VALUES
  ${
      poolStates.map((state) =>
        `('${state}', pool.${state}, (SELECT count(*) FROM pool_transaction WHERE state = '${state}'), false)`
      ).join(",\n  ")
    },
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
    counted: "pool_transition",
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
    counted: "(SELECT FROM pool_mark UNION ALL SELECT FROM pool_transaction) AS compared",
    text: `
SELECT 'pool_mark ' || m.batch_num AS place, m.ethereum_block_hash AS found, coalesce('0x' || encode(batch.ethereum_block_hash, 'hex'), 'no mark, since there is no such batch') AS expected
FROM pool_mark AS m LEFT JOIN batch ON batch.batch_num = m.batch_num
WHERE m.ethereum_block_hash IS DISTINCT FROM '0x' || encode(batch.ethereum_block_hash, 'hex') AND m.batch_num < (
  SELECT max(right_one.batch_num) FROM pool_mark AS right_one JOIN batch AS b ON b.batch_num = right_one.batch_num WHERE right_one.ethereum_block_hash = '0x' || encode(b.ethereum_block_hash, 'hex')
)`
  }
]

const lastBatch = "(SELECT coalesce(max(batch_num), 0) FROM batch)"

/** The checks of the pool against the ledger, which it has reconciled. */
export const reconciledStatements: ReadonlyArray<AuditStatement> = [
  {
    check: "pool-ledger",
    text: `
SELECT ${
      place("t.id")
    } AS place, 'forged in batch ' || t.batch_num AS found, coalesce('forged in batch ' || l.batch_num, 'not forged: no batch has it') AS expected
FROM pool_transaction AS t LEFT JOIN transaction AS l ON l.id = t.id WHERE t.state = 'fged' AND t.batch_num <= ${lastBatch} AND l.batch_num IS DISTINCT FROM t.batch_num`
  },
  {
    check: "pool-ledger",
    text: `
SELECT ${place("t.id")} AS place, t.state || ${batchOf("t")} AS found,
  CASE WHEN l.id IS NOT NULL THEN 'forged in batch ' || l.batch_num WHEN t.state = 'fing' THEN 'pending or forged, since that batch is there' ELSE 'invalid: nonce ' || t.nonce || ' is used, the account is at ' || a.nonce END AS expected
FROM pool_transaction AS t LEFT JOIN transaction AS l ON l.id = t.id LEFT JOIN account AS a ON a.account_index = t.from_account_index
WHERE (t.state IN ('pend', 'fing') AND l.id IS NOT NULL AND l.to_account_index = t.to_account_index) OR (t.state = 'fing' AND t.batch_num <= ${lastBatch})
  OR (t.state = 'pend' AND t.nonce < a.nonce)`
  }
]

const pooledById = queryOf(
  orderedPooled,
  "pool_transaction AS r WHERE r.id > $1::bytea ORDER BY r.id LIMIT 5000"
)

/** Checks the ids and fees of the transactions in the pool. */
export const auditPoolIds = (
  { findings, sql }: AuditSnapshot,
  keccak256: Keccak256
): AuditStep =>
  Effect.gen(function*() {
    for (let last = "\\x";;) {
      const page: ReadonlyArray<OrderedPooled> = yield* selectRows(sql, pooledById, [last])
      if (page.length === 0) return
      for (const { feeUnits: stored, transaction } of page) {
        const id = l2TransactionId(transaction, keccak256)
        findings.sameMembers(
          "pool",
          () => `pool_transaction ${transaction.id}`,
          { id: transaction.id, fee_units: stored },
          {
            id: Result.getOrElse(id, () => "the hash of its fields"),
            fee_units: feeUnits(transaction)
          }
        )
      }
      findings.checked("pool", page.length)
      last = `\\x${page.at(-1)!.transaction.id.slice(2)}`
    }
  })
