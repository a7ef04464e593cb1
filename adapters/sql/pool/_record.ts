import { PgTypes } from "@effect/sql-pg"
import type { PoolState, PoolTransition } from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import { storedText } from "../connection/mod.ts"
import { bigintList, byteaList, int8, textList } from "./pool_values.ts"
import { type PoolWrite, WRITES_RETAINED } from "./_pool_write.ts"

/**
 * The bookkeeping of a write beside the rows that it changes: counts, pending counts of accounts,
 * transitions, and its own id.
 */
export class PoolRecord {
  readonly #write: PoolWrite
  readonly counts: { [State in PoolState]: number }
  nextArrival: number
  readonly #pending: Map<AccountIndex, number>
  readonly #moved = new Set<AccountIndex>()
  readonly #steps: Array<PoolTransition> = []

  /** `pending` must have every account whose transactions this write changes. */
  constructor(write: PoolWrite, pending: Map<AccountIndex, number> = new Map()) {
    this.#write = write
    this.counts = { ...write.counts }
    this.nextArrival = write.nextArrival
    this.#pending = pending
  }

  pendingOf(account: AccountIndex): number {
    return this.#pending.get(account) ?? 0
  }

  get hasSteps(): boolean {
    return this.#steps.length > 0
  }

  add(account: AccountIndex, step: PoolTransition): void {
    this.#steps.push(step)
    for (const [state, one] of [[step.from, -1], [step.to, 1]] as const) {
      if (state === null) continue
      this.counts[state] += one
      if (state !== "pend") continue
      this.#pending.set(account, this.pendingOf(account) + one)
      this.#moved.add(account)
    }
  }

  /** The parameters of `recordSql`. */
  get parameters(): ReadonlyArray<PgTypes.Parameter | string> {
    const { fged, fing, invl, pend } = this.counts
    const { nextTransition, number, writeId } = this.#write
    const steps = this.#steps
    const counted = [...this.#moved].filter((account) => this.pendingOf(account) > 0)
    return [
      PgTypes.uuid(writeId),
      int8(number),
      int8(pend),
      int8(fing),
      int8(fged),
      int8(invl),
      int8(this.nextArrival),
      int8(nextTransition + steps.length),
      bigintList(counted),
      bigintList(counted.map((account) => this.pendingOf(account))),
      bigintList([...this.#moved].filter((account) => this.pendingOf(account) === 0)),
      byteaList(steps.map(({ id }) => id)),
      bigintList(steps.map((_, place) => nextTransition + place)),
      textList(steps.map(({ from }) => from)),
      textList(steps.map(({ to }) => to)),
      bigintList(steps.map(({ atMs }) => atMs)),
      bigintList(steps.map(({ batchNum }) => batchNum)),
      textList(steps.map(({ reason }) => storedText(reason)))
    ]
  }
}

/** Number of parameters of a record; those of the rows follow. */
export const RECORD_PARAMETERS = 18

/**
 * Returns one statement that changes rows and records the write, since other writes wait for each
 * round trip. On a distributed database the tables of the pool therefore belong on one node, like
 * their locked row.
 */
export const recordSql = (...rows: ReadonlyArray<string>): string => `
WITH written AS (INSERT INTO pool_write (number, write_id) VALUES ($2::bigint, $1::uuid)),
forgotten AS (DELETE FROM pool_write WHERE number <= $2::bigint - ${WRITES_RETAINED}),
counted AS (
  INSERT INTO pool_sender (account_index, pending) SELECT * FROM unnest($9::bigint[], $10::bigint[])
  ON CONFLICT (account_index) DO UPDATE SET pending = excluded.pending
),
emptied AS (DELETE FROM pool_sender WHERE account_index = ANY ($11::bigint[])),
noted AS (
  INSERT INTO pool_transition (id, number, from_state, to_state, at_ms, batch_num, reason)
  SELECT * FROM unnest($12::bytea[], $13::bigint[], $14::text[], $15::text[], $16::bigint[], $17::bigint[], $18::text[])
)${rows.map((statement, place) => `,\nrows_${place} AS (${statement})`).join("")}
UPDATE pool SET pend = $3::bigint, fing = $4::bigint, fged = $5::bigint, invl = $6::bigint,
  next_arrival = $7::bigint, next_transition = $8::bigint, next_write = $2::bigint + 1`
