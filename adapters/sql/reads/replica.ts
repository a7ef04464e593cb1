import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import {
  type LedgerReader,
  type LedgerStamp,
  mapReader,
  StoreFailure
} from "../../../core/ports/mod.ts"
import { storeFailure } from "../connection/mod.ts"

/** Time during which a replica that failed or lagged is not used. */
const pauseMs = 200

/** Options of `preferReplica`. */
export interface ReplicaOptions {
  /** Returns the greatest version that this process has returned or written. */
  readonly seenVersion: () => number
  /** Returns whether the replica is a copy of the primary. Is called until it succeeds. */
  readonly isCopy: Effect.Effect<boolean, StoreFailure>
}

/**
 * Returns a reader that uses a replica if it is a copy of the primary and its answer is at least as
 * new as `seenVersion()`. Otherwise, and if the replica fails, it uses the primary. A client of one
 * process therefore never sees the ledger go back; a client of several processes can compare the
 * versions in the headers.
 */
export const preferReplica = (
  primary: LedgerReader["Service"],
  replica: LedgerReader["Service"],
  { isCopy, seenVersion }: ReplicaOptions
): LedgerReader["Service"] => {
  let pausedUntilMs = 0
  const pause = (ms = pauseMs): void => {
    pausedUntilMs = Date.now() + ms
  }
  const isCurrent = ({ version }: LedgerStamp): boolean => {
    if (version >= seenVersion()) return true
    pause()
    return false
  }
  let isChecked = false
  const check = Effect.matchEffect(isCopy, {
    onFailure: () => Effect.sync(pause),
    onSuccess: (is) => {
      isChecked = is
      if (is) return Effect.void
      pause(Infinity)
      return Effect.logError(`${notACopy}; it is not used`)
    }
  })
  return mapReader((call, stampOf) =>
    Effect.gen(function*() {
      if (!isChecked && Date.now() >= pausedUntilMs) yield* check
      if (Date.now() < pausedUntilMs) return yield* call(primary)
      return yield* Effect.matchEffect(call(replica), {
        onSuccess: (answer) => isCurrent(stampOf(answer)) ? Effect.succeed(answer) : call(primary),
        onFailure: (failure) => {
          if (failure._tag !== "NotRegistered") pause()
          else if (isCurrent(failure.stamp)) return Effect.fail(failure)
          return call(primary)
        }
      })
    })
  )
}

export const notACopy =
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
