import { PgTypes } from "@effect/sql-pg"
import { Deferred, Effect, Exit, Queue, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Authorization } from "../../../core/domain/mod.ts"
import type { AddResult, PoolStore, StoreFailure } from "../../../core/ports/mod.ts"
import { Database, LastWrite } from "../connection/mod.ts"
import {
  authorization,
  boolean,
  computed,
  inferredShape,
  type RowQuery,
  selectList,
  selectRows,
  type ShapeRow
} from "../entities/mod.ts"
import { addGroups, replaceTransaction, type PostedGroup } from "./_add.ts"
import { changeStates, recordSkips, reconcileBatch } from "./_change.ts"
import { bytesOf, int8 } from "./pool_rows.ts"
import { type PoolWrite, retryWrite, runPoolWrite } from "./_pool_write.ts"
import { poolReads } from "./_reads.ts"

/**
 * Opens the pool of a database. Several processes may open it and write to it.
 *
 * @param onWrite runs after each write, before it is acknowledged; also if it fails, since it may
 *   have been committed
 */
export const openPool = Effect.fnUntraced(function*(
  onWrite: Effect.Effect<void> = Effect.void
): Effect.fn.Return<PoolStore["Service"], never, Database | LastWrite | Scope.Scope> {
  const { reads, writes } = yield* Database
  const lastWrite = yield* LastWrite
  const record = <A, E>(write: Effect.Effect<A, E>) =>
    Effect.ensuring(lastWrite.record(write), onWrite)
  const run = <A>(work: (write: PoolWrite) => Effect.Effect<A, SqlError.SqlError>) =>
    record(runPoolWrite(writes, work))
  const add = yield* batchRequests<PostedGroup, AddResult, StoreFailure>(
    (all) => run((write) => addGroups(writes, write, all)),
    ADD_BATCH_MAX
  )
  return {
    ...poolReads(reads),
    addTransaction: (transaction, owners, limits) =>
      add({ group: [{ ...owners, transaction }], limits }),
    addGroup: (group, limits) => add({ group, limits }),
    replaceTransaction: (replaced, transaction, owners, limits) =>
      run((write) =>
        replaceTransaction(writes, write, replaced, { ...owners, transaction }, limits)
      ),
    addAuthorization: (authorization) => record(addAuthorization(writes, authorization)),
    change: (changes, atMs) => run((write) => changeStates(writes, write, changes, atMs)),
    reconcile: (step, atMs) => run((write) => reconcileBatch(writes, write, step, atMs)),
    skip: (skips, selected) => run((write) => recordSkips(writes, write, skips, selected))
  }
})

/** Maximum number of posts in one write, since other writes wait for it. */
const ADD_BATCH_MAX = 256

/**
 * Stores an authorization unless the address has one, and returns the stored one. It needs no
 * `runPoolWrite`, since it changes no other row. If the answer of the first attempt is lost, a
 * retry recognizes its own row by the write id.
 */
const addAuthorization = (
  sql: SqlClient.SqlClient,
  { address, publicKey, signature, timestampMs }: Authorization
) =>
  Effect.suspend(() => {
    const writeId = PgTypes.uuid(crypto.randomUUID())
    return retryWrite(
      selectRows(sql, authorize, [
        bytesOf(address),
        bytesOf(publicKey),
        signature,
        int8(timestampMs),
        writeId
      ])
    )
  }).pipe(Effect.map(([answer]) => answer!))

const answerRow = inferredShape({
  added: computed("r.write_id = $5", boolean),
  authorization
})

/** On conflict it updates the address to itself, since RETURNING returns written rows only. */
const authorize: RowQuery<ShapeRow<typeof answerRow>> = {
  statement: `
INSERT INTO pool_authorization AS r (address, public_key, signature, timestamp_ms, write_id) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (address) DO UPDATE SET address = r.address
RETURNING ${selectList(answerRow.select("r"))}`,
  read: (values) => answerRow.read(values, 0)
}

/**
 * Returns a function that batches requests: those that arrive while a batch is in flight form the
 * next one, so that one commit serves them all; a request that finds no batch in flight runs
 * immediately. If a batch fails and a retry cannot help, one of its requests must be the cause, so
 * each runs again alone.
 */
export const batchRequests = <In, Out, E extends { readonly retry: boolean }>(
  runBatch: (all: ReadonlyArray<In>) => Effect.Effect<ReadonlyArray<Out>, E>,
  batchMax: number
): Effect.Effect<(one: In) => Effect.Effect<Out, E>, never, Scope.Scope> =>
  Effect.gen(function*() {
    interface PendingRequest {
      readonly one: In
      readonly answer: Deferred.Deferred<Out, E>
    }
    const queue = yield* Queue.unbounded<PendingRequest>()
    const unanswered = new Set<PendingRequest>()
    const runAll = (all: ReadonlyArray<PendingRequest>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(runBatch(all.map(({ one }) => one))), (exit) =>
        Exit.isSuccess(exit)
          ? Effect.sync(() =>
            all.forEach(({ answer }, i) =>
              Deferred.doneUnsafe(answer, Effect.succeed(exit.value[i]!))
            )
          )
          : all.length > 1 && !mayRetry(exit)
          ? Effect.forEach(all, (each) => runAll([each]), { discard: true })
          : Effect.sync(() =>
            all.forEach(({ answer }) => Deferred.doneUnsafe(answer, Exit.failCause(exit.cause)))
          ))
    yield* Effect.forkScoped(Effect.forever(Effect.gen(function*() {
      const all = yield* Queue.takeBetween(queue, 1, batchMax)
      yield* runAll(all)
      for (const each of all) unanswered.delete(each)
    })))
    // on shutdown, interrupt the requests that are still queued
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Queue.shutdown(queue),
        Effect.forEach(unanswered, ({ answer }) => Deferred.interrupt(answer))
      )
    )
    return (one) =>
      Effect.suspend(() => {
        const request = { one, answer: Deferred.makeUnsafe<Out, E>() }
        unanswered.add(request)
        return Queue.offerUnsafe(queue, request) ? Deferred.await(request.answer) : Effect.interrupt
      })
  })

const mayRetry = <E extends { readonly retry: boolean }>(exit: Exit.Failure<unknown, E>): boolean =>
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error.retry)
