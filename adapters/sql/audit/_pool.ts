import { Effect, Result } from "effect"
import { feeUnits, poolStates } from "../../../core/domain/mod.ts"
import { type Keccak256, l2TransactionId } from "../../../core/encoding/mod.ts"
import { hexOf, type OrderedPooled, orderedPooled, queryOf } from "../entities/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  itemsPerStatement,
  reportViolations
} from "./_audit_snapshot.ts"

const pooledById = queryOf(
  orderedPooled,
  "pool_transaction AS r WHERE r.id > $1::bytea ORDER BY r.id LIMIT 5000"
)

const place = (id: string): string => `'pool_transaction 0x' || encode(${id}, 'hex')`

/** Checks the counters of the pool, the transactions and their state transitions. */
export const auditPool = (snapshot: AuditSnapshot, keccak256: Keccak256): AuditStep =>
  Effect.gen(function*() {
    const { advance, findings, select } = snapshot
    yield* reportViolations(
      snapshot,
      "pool",
      `
SELECT 'pool, ' || each.name AS place, each.counted::text AS found, each.expected::text AS expected FROM pool CROSS JOIN LATERAL (VALUES
  ${
        poolStates.map((state) =>
          `('${state}', pool.${state}, (SELECT count(*) FROM pool_transaction WHERE state = '${state}'))`
        ).join(",\n  ")
      }
) AS each (name, counted, expected) WHERE each.counted <> each.expected`
    )
    yield* reportViolations(
      snapshot,
      "pool",
      `
SELECT 'pool, ' || each.name AS place, each.next::text AS found, 'more than ' || each.greatest AS expected FROM pool CROSS JOIN LATERAL (VALUES
  ('next_arrival', pool.next_arrival, (SELECT max(arrival) FROM pool_transaction)), ('next_transition', pool.next_transition, (SELECT max(number) FROM pool_transition)),
  ('next_write', pool.next_write, (SELECT max(number) FROM pool_write))
) AS each (name, next, greatest) WHERE each.next <= each.greatest`
    )
    yield* reportViolations(
      snapshot,
      "pool",
      `
SELECT 'pool_sender ' || account_index AS place, coalesce(found.pending::text, 'no row') AS found, coalesce(there.pending::text, 'no row') AS expected
FROM (SELECT from_account_index AS account_index, count(*) AS pending FROM pool_transaction WHERE state = 'pend' GROUP BY from_account_index) AS there
FULL JOIN pool_sender AS found USING (account_index) WHERE there.pending IS DISTINCT FROM found.pending`
    )
    yield* reportViolations(
      snapshot,
      "pool",
      `
SELECT ${
        place("id")
      } || ', arrival' AS place, arrival::text AS found, 'that of no other transaction' AS expected
FROM pool_transaction WHERE arrival IN (SELECT arrival FROM pool_transaction GROUP BY arrival HAVING count(*) > 1)`
    )
    let last = "\\x"
    for (;;) {
      const page: ReadonlyArray<OrderedPooled> = yield* select(pooledById, last)
      if (page.length === 0) break
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
      yield* advance(page.length, 0.3)
      last = `\\x${page.at(-1)!.transaction.id.slice(2)}`
    }
    yield* auditTransitions(snapshot)
  })

const transitionsPage =
  `SELECT * FROM pool_transition WHERE (id, number) > ($1::bytea, $2::bigint) ORDER BY id, number LIMIT ${itemsPerStatement}`

/**
 * Each transition begins in the state in which the previous one ended, and the last one ends in the
 * state of the transaction.
 */
const wrongTransitions = `
SELECT ${place("id")} || ', step ' || number AS place, told AS found, expected FROM (
  SELECT step.id, step.number, 'from ' || coalesce(step.from_state, 'nowhere') AS told, 'from ' || coalesce(before.to_state, 'nowhere') AS expected
  FROM (${transitionsPage}) AS step
  LEFT JOIN LATERAL (SELECT to_state FROM pool_transition AS b WHERE b.id = step.id AND b.number < step.number ORDER BY b.number DESC LIMIT 1) AS before ON true
  WHERE step.from_state IS DISTINCT FROM before.to_state
  UNION ALL
  SELECT step.id, step.number, 'state ' || coalesce(t.state, 'none') || ', batch ' || coalesce(t.batch_num::text, 'none'),
    'state ' || coalesce(step.to_state, 'none') || CASE WHEN step.to_state IS NULL THEN '' ELSE ', batch ' || coalesce(step.batch_num::text, 'none') END
  FROM (${transitionsPage}) AS step LEFT JOIN pool_transaction AS t ON t.id = step.id
  WHERE NOT EXISTS (SELECT FROM pool_transition AS later WHERE later.id = step.id AND later.number > step.number)
    AND (t.state IS DISTINCT FROM step.to_state OR (step.to_state IS NOT NULL AND t.batch_num IS DISTINCT FROM step.batch_num))
) AS wrong`

const auditTransitions = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { advance, findings, rows } = snapshot
    yield* reportViolations(
      snapshot,
      "pool-steps",
      `
SELECT ${
        place("id")
      } AS place, 'no step' AS found, 'one that it entered with' AS expected FROM pool_transaction WHERE NOT EXISTS (SELECT FROM pool_transition WHERE pool_transition.id = pool_transaction.id)`
    )
    let [id, number] = ["\\x", "-1"]
    for (;;) {
      const [last] = yield* rows<
        { readonly id: Uint8Array; readonly number: bigint; readonly size: bigint }
      >(
        `SELECT id, number, (SELECT count(*) FROM (${transitionsPage}) AS page) AS size FROM (${transitionsPage}) AS page ORDER BY page.id DESC, page.number DESC LIMIT 1`,
        id,
        number
      )
      if (last === undefined) return
      yield* reportViolations(snapshot, "pool-steps", wrongTransitions, id, number)
      findings.checked("pool-steps", Number(last.size))
      yield* advance(Number(last.size), 0.6)
      ;[id, number] = [`\\x${hexOf(last.id)}`, `${last.number}`]
    }
  })

interface SettledRow {
  readonly batch_num: bigint | null
  readonly hash: string | null
  readonly mark: bigint | null
  readonly mark_hash: string | null
}

/** Compares the pool with the ledger, if the pool has settled with the last batch. */
export const auditPoolLedger = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { findings, rows } = snapshot
    const [settled] = yield* rows<SettledRow>(`
SELECT last.batch_num, '0x' || encode(last.ethereum_block_hash, 'hex') AS hash, mark.batch_num AS mark, mark.ethereum_block_hash AS mark_hash
FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM batch ORDER BY batch_num DESC LIMIT 1) AS last ON true LEFT JOIN (SELECT * FROM pool_mark ORDER BY batch_num DESC LIMIT 1) AS mark ON true`)
    // after a rollback the last marks may be wrong until the pool settles, so check those before
    // only
    yield* reportViolations(
      snapshot,
      "pool-ledger",
      `
SELECT 'pool_mark ' || m.batch_num AS place, m.ethereum_block_hash AS found, coalesce('0x' || encode(batch.ethereum_block_hash, 'hex'), 'no mark, since there is no such batch') AS expected
FROM pool_mark AS m LEFT JOIN batch ON batch.batch_num = m.batch_num
WHERE m.ethereum_block_hash IS DISTINCT FROM '0x' || encode(batch.ethereum_block_hash, 'hex') AND m.batch_num < (
  SELECT max(right_one.batch_num) FROM pool_mark AS right_one JOIN batch AS b ON b.batch_num = right_one.batch_num WHERE right_one.ethereum_block_hash = '0x' || encode(b.ethereum_block_hash, 'hex')
)`
    )
    const [marks] = yield* rows<{ readonly size: bigint }>(
      "SELECT (SELECT count(*) FROM pool_mark) + (SELECT count(*) FROM pool_transaction) AS size"
    )
    findings.checked("pool-ledger", Number(marks!.size))
    const { batch_num, hash, mark, mark_hash } = settled!
    if (mark !== batch_num || mark_hash !== hash) {
      findings.note(
        `The pool has settled with batch ${mark ?? "none"} (${
          mark_hash ?? "no block"
        }), and the last batch is ${batch_num ?? "none"} (${
          hash ?? "no block"
        }): its transactions were not compared with the ledger; the node settles the pool with its next block`
      )
      return
    }
    yield* reportViolations(
      snapshot,
      "pool-ledger",
      `
SELECT ${
        place("t.id")
      } AS place, 'forged in batch ' || t.batch_num AS found, coalesce('forged in batch ' || l.batch_num, 'not forged: no batch has it') AS expected
FROM pool_transaction AS t LEFT JOIN transaction AS l ON l.id = t.id WHERE t.state = 'fged' AND t.batch_num <= $1::bigint AND l.batch_num IS DISTINCT FROM t.batch_num`,
      `${batch_num ?? 0n}`
    )
    yield* reportViolations(
      snapshot,
      "pool-ledger",
      `
SELECT ${place("t.id")} AS place, t.state || coalesce(' in batch ' || t.batch_num, '') AS found,
  CASE WHEN l.id IS NOT NULL THEN 'forged in batch ' || l.batch_num WHEN t.state = 'fing' THEN 'pending or forged, since that batch is there' ELSE 'invalid: nonce ' || t.nonce || ' is used, the account is at ' || a.nonce END AS expected
FROM pool_transaction AS t LEFT JOIN transaction AS l ON l.id = t.id LEFT JOIN account AS a ON a.account_index = t.from_account_index
WHERE (t.state IN ('pend', 'fing') AND l.id IS NOT NULL AND l.to_account_index = t.to_account_index) OR (t.state = 'fing' AND t.batch_num <= $1::bigint)
  OR (t.state = 'pend' AND t.nonce < a.nonce)`,
      `${batch_num ?? 0n}`
    )
  })
