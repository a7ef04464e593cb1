import { PgTypes } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { PoolState, PoolTransition } from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import { type OwnedTransaction, type Pooled, StoreFailure } from "../../../core/ports/mod.ts"
import { type PoolContent, transitionOfPost } from "../../../core/use_cases/mod.ts"
import {
  bigintArray,
  cannotWrite,
  insertInto,
  retryOnNewConnection,
  storeFailure
} from "../connection/mod.ts"
import { type PoolNumbers, poolTransition, selectRows } from "../entities/mod.ts"
import { int8, numbersQuery } from "./pool_rows.ts"

/**
 * The state of the pool at the beginning of a write. It stays current since the write holds the
 * lock.
 */
export interface PoolWrite extends PoolNumbers {
  readonly writeId: string
}

/**
 * Runs one write in a transaction that locks the row of `pool` until it ends, so that writes are
 * serialized. Limits are therefore exact, arrivals follow the order of commits, and writers cannot
 * deadlock. Concurrent requests of one process share a write (`pool.ts`).
 *
 * A write that fails before its commit is retried as `retryWrite` says. If the connection is lost
 * during the commit, the retry looks for the row of the write in `pool_write` once it holds the lock:
 * by then the previous transaction has ended.
 */
export const runPoolWrite = <A>(
  sql: SqlClient.SqlClient,
  work: (write: PoolWrite) => Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, StoreFailure> =>
  Effect.suspend(() => {
    const writeId = crypto.randomUUID()
    let unconfirmed: { readonly number: number; readonly answer: A } | null = null
    const attempt = Effect.gen(function*() {
      const write = yield* lockPool(sql, writeId)
      if (unconfirmed !== null) {
        if (yield* isWritten(sql, unconfirmed.number, writeId)) return unconfirmed.answer
        if (write.nextWrite - unconfirmed.number >= WRITES_RETAINED) {
          return yield* Effect.fail(outcomeUnknown(unconfirmed.number))
        }
        unconfirmed = null
      }
      const answer = yield* work(write)
      unconfirmed = { number: write.nextWrite, answer }
      return answer
    })
    return attempt.pipe(sql.withTransaction, retryWrite)
  })

/**
 * Retries a write with backoff for about twelve seconds while a retry can help. If the server cannot
 * write at present, it fails without delay, so that the client gets its 503: such a server rarely
 * recovers within seconds.
 */
export const retryWrite = <A>(
  write: Effect.Effect<A, SqlError.SqlError | StoreFailure>
): Effect.Effect<A, StoreFailure> =>
  retryOnNewConnection(write).pipe(
    Effect.mapError((error) => error instanceof StoreFailure ? error : storeFailure(error)),
    Effect.retry({
      schedule: backoff,
      while: ({ cause, retry }) => retry && !(SqlError.isSqlError(cause) && cannotWrite(cause))
    })
  )

/** Number of later writes during which the outcome of a write can be looked up. */
export const WRITES_RETAINED = 65_536

/**
 * Lasts longer than `idle_in_transaction_session_timeout`, after which the server ends the
 * transaction of a dead client.
 */
const backoff = Schedule.min([Schedule.exponential("20 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "12 seconds" })
)

const lockPool = (sql: SqlClient.SqlClient, writeId: string) =>
  Effect.map(selectRows(sql, lockedNumbers), ([numbers]) => ({ ...numbers!, writeId }))

const lockedNumbers = { ...numbersQuery, statement: `${numbersQuery.statement} FOR UPDATE` }

/**
 * Returns whether a write was committed. It is a separate statement, so that it sees the writes
 * that were committed while `lockPool` waited.
 */
const isWritten = (sql: SqlClient.SqlClient, number: number, writeId: string) =>
  Effect.map(
    sql.unsafe("SELECT 1 FROM pool_write WHERE number = $1 AND write_id = $2", [
      int8(number),
      PgTypes.uuid(writeId)
    ]),
    (rows) => rows.length > 0
  )

const outcomeUnknown = (number: number) =>
  new StoreFailure({
    message:
      `Write ${number} of the pool may have been committed, and ${WRITES_RETAINED} later writes were: read the transactions that it should change`,
    retry: false
  })

/**
 * Collects the rows that every write stores beside the transactions: the counts of the pool and of
 * accounts, the transitions, and the id of the write.
 */
export class PoolRecord implements PoolContent {
  readonly #write: PoolWrite
  readonly counts: { [State in PoolState]: number }
  #nextArrival: number
  readonly #pending: Map<AccountIndex, number>
  readonly #known: Set<TransactionId>
  readonly #changedAccounts = new Set<AccountIndex>()
  readonly #transitions: Array<PoolTransition> = []

  /**
   * @param pending the pending counts of all accounts whose transactions this write changes; a
   *   missing one is 0
   * @param known those of the ids that this write adds which the pool has
   */
  constructor(
    write: PoolWrite,
    pending: Map<AccountIndex, number> = new Map(),
    known: Set<TransactionId> = new Set()
  ) {
    this.#write = write
    this.#known = known
    this.counts = { ...write.counts }
    this.#nextArrival = write.nextArrival
    this.#pending = pending
  }

  pendingOf(account: AccountIndex): number {
    return this.#pending.get(account) ?? 0
  }

  has(id: TransactionId): boolean {
    return this.#known.has(id)
  }

  /** Records that a transaction enters the pool, and returns its row. */
  addPosted({ receiver, sender, transaction }: OwnedTransaction): Pooled {
    this.#known.add(transaction.id)
    this.add(transaction.fromAccountIndex, transitionOfPost(transaction))
    const { timestampMs: sinceMs } = transaction
    return { transaction, sender, receiver, sinceMs, arrival: this.#nextArrival++ }
  }

  add(account: AccountIndex, transition: PoolTransition): void {
    this.#transitions.push(transition)
    for (const [state, change] of [[transition.from, -1], [transition.to, 1]] as const) {
      if (state === null) continue
      this.counts[state] += change
      if (state !== "pend") continue
      this.#pending.set(account, this.pendingOf(account) + change)
      this.#changedAccounts.add(account)
    }
  }

  /** The parameters of `recordSql`. */
  get parameters(): ReadonlyArray<PgTypes.Parameter | string> {
    const { fged, fing, invl, pend } = this.counts
    const { nextTransition, nextWrite, writeId } = this.#write
    const transitions = this.#transitions.map((each, i) => ({
      ...each,
      number: nextTransition + i
    }))
    const changed = [...this.#changedAccounts]
    const counted = changed.filter((account) => this.pendingOf(account) > 0)
    return [
      PgTypes.uuid(writeId),
      int8(nextWrite),
      int8(pend),
      int8(fing),
      int8(fged),
      int8(invl),
      int8(this.#nextArrival),
      int8(nextTransition + transitions.length),
      bigintArray(counted),
      bigintArray(counted.map((account) => this.pendingOf(account))),
      bigintArray(changed.filter((account) => this.pendingOf(account) === 0)),
      ...insertTransitions.parameters(transitions)
    ]
  }
}

const insertTransitions = insertInto("pool_transition", poolTransition.parameters, { first: 12 })

/** Number of parameters of a record; the parameters of the rows follow. */
export const RECORD_PARAMETERS = 18

/**
 * Returns one statement that runs `rows` and stores a `PoolRecord`. It is one statement because
 * other writes wait for each round trip. On a distributed database, place all tables of the pool on
 * one node.
 */
export const recordSql = (...rows: ReadonlyArray<string>): string => `
WITH written AS (INSERT INTO pool_write (number, write_id) VALUES ($2::bigint, $1::uuid)),
forgotten AS (DELETE FROM pool_write WHERE number <= $2::bigint - ${WRITES_RETAINED}),
counted AS (
  INSERT INTO pool_sender (account_index, pending) SELECT * FROM unnest($9::bigint[], $10::bigint[])
  ON CONFLICT (account_index) DO UPDATE SET pending = excluded.pending
),
emptied AS (DELETE FROM pool_sender WHERE account_index = ANY ($11::bigint[])),
noted AS (${insertTransitions.text})${
  rows.map((statement, i) => `,\nrows_${i} AS (${statement})`).join("")
}
UPDATE pool SET pend = $3::bigint, fing = $4::bigint, fged = $5::bigint, invl = $6::bigint,
  next_arrival = $7::bigint, next_transition = $8::bigint, next_write = $2::bigint + 1`
