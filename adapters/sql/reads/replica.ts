import { Effect, Schedule, type Scope } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import {
  checkHealth,
  type Health,
  type LedgerReader,
  type SnapshotId,
  mapReader,
  StoreFailure
} from "../../../core/ports/mod.ts"
import {
  causeMessage,
  DatabaseError,
  isConnectionRefused,
  storeFailure
} from "../connection/mod.ts"

/** Options of `preferReplica`. */
export interface ReplicaOptions {
  /** Returns the greatest version that this process has returned or written. */
  readonly seenVersion: () => number
  /** Returns whether the replica is a copy of the primary. */
  readonly isCopy: Effect.Effect<boolean, StoreFailure>
}

/** Time during which a replica that lagged is not used, and between two checks of one that failed. */
const pauseMs = 200

/**
 * Returns a reader that uses a replica if its answer is at least as new as `seenVersion()`.
 * Otherwise it uses the primary. A client of one process therefore never sees the ledger go back; a
 * client of several processes can compare the versions in the headers.
 *
 * Fails if the replica is not a copy of the primary ("otherNetwork"), or refuses every connection, as
 * with a wrong password ("refused"). A replica that fails later, or is unreachable, is not used until
 * a check in the background finds that it answers and is a copy; meanwhile the health check
 * `replica` is degraded.
 */
export const preferReplica = (
  primary: LedgerReader["Service"],
  replica: LedgerReader["Service"],
  { isCopy, seenVersion }: ReplicaOptions
): Effect.Effect<LedgerReader["Service"], DatabaseError, Scope.Scope> =>
  Effect.gen(function*() {
    const scope = yield* Effect.scope
    let isUsable = true
    let pausedUntilMs = 0
    const waitUntilUsable = Effect.delay(isCopy, pauseMs).pipe(
      Effect.retry(Schedule.forever),
      Effect.flatMap((is) =>
        is
          ? Effect.sync(() => void (isUsable = true))
          : Effect.logError(`${notACopy}; it is not used`)
      )
    )
    const onFailure = Effect.suspend(() => {
      if (!isUsable) return Effect.void
      isUsable = false
      return Effect.asVoid(Effect.forkIn(waitUntilUsable, scope))
    })
    const isCurrent = ({ version }: SnapshotId): boolean => {
      if (version >= seenVersion()) return true
      pausedUntilMs = performance.now() + pauseMs
      return false
    }

    yield* Effect.matchEffect(isCopy, {
      onFailure: ({ cause, message }) =>
        SqlError.isSqlError(cause) && isConnectionRefused(cause)
          ? Effect.fail(
            new DatabaseError({
              reason: "refused",
              message: `The replica refuses connections: ${
                causeMessage(cause)
              }; correct its URL or the privileges of its user, or start without a replica`,
              cause
            })
          )
          : Effect.andThen(
            onFailure,
            Effect.logWarning(`The replica cannot be used yet, the database answers: ${message}`)
          ),
      onSuccess: (is) =>
        is ? Effect.void : Effect.fail(
          new DatabaseError({
            reason: "otherNetwork",
            message:
              `${notACopy}; name a streaming replica of the database, or start without a replica`
          })
        )
    })
    yield* checkHealth("replica", Effect.sync((): Health => isUsable ? usable : unusable))
    return mapReader((call, snapshotIdOf) =>
      Effect.suspend(() =>
        !isUsable || performance.now() < pausedUntilMs
          ? call(primary)
          : Effect.matchEffect(call(replica), {
            onSuccess: (answer) =>
              isCurrent(snapshotIdOf(answer)) ? Effect.succeed(answer) : call(primary),
            onFailure: (failure) => {
              if (failure._tag !== "NotRegistered") return Effect.andThen(onFailure, call(primary))
              return isCurrent(failure.snapshotId) ? Effect.fail(failure) : call(primary)
            }
          })
      )
    )
  })

const usable: Health = { state: "ok", detail: "Reads of the ledger use the replica" }
const unusable: Health = {
  state: "degraded",
  detail: "The replica fails or is not a copy of the database: all reads use the database"
}

const notACopy =
  "The replica is not a copy of the database: it contains another ledger, or was created separately"

/**
 * Returns whether a replica is a copy of the primary: it contains the same genesis record, and its
 * schema was created at the same time. Fails if one of them fails, or if nothing has arrived at the
 * replica yet.
 */
export const isCopyOf = (
  primary: SqlClient.SqlClient,
  replica: SqlClient.SqlClient
): Effect.Effect<boolean, StoreFailure> =>
  Effect.zipWith(
    originOf(primary),
    originOf(replica),
    (original, copy) => original === copy,
    { concurrent: true }
  )

const originOf = (sql: SqlClient.SqlClient): Effect.Effect<string, StoreFailure> =>
  sql.unsafe<{ readonly origin: string }>(originStatement).pipe(
    Effect.mapError(storeFailure),
    Effect.flatMap(([row]) =>
      row === undefined
        ? Effect.fail(new StoreFailure({ message: "It contains no ledger yet", retry: true }))
        : Effect.succeed(row.origin)
    )
  )

const originStatement = `
SELECT concat_ws(' ', extract(epoch FROM applied_at), md5(record::text)) AS origin
FROM migration CROSS JOIN genesis WHERE number = 1`
