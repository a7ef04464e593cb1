import { Effect } from "effect"
import { type LedgerReader, type LedgerStamp, mapReader } from "../../../core/ports/mod.ts"
import { type LedgerPorts, trackVersions } from "./track_versions.ts"

/** How long a replica that failed or lagged is not asked. */
const pauseMs = 200

/**
 * Reads from a replica if its answer is at least as new as every version that this process has
 * returned or written; otherwise, and if the replica fails, from the primary. A client of one
 * process therefore never sees the ledger go back; a client of several can compare the versions in
 * the headers.
 */
export const preferReplica = (
  { reader: primary, writer }: LedgerPorts,
  replica: LedgerReader["Service"]
): LedgerPorts => {
  let seenVersion = 0
  let pausedUntilMs = 0
  const pause = (): void => {
    pausedUntilMs = Date.now() + pauseMs
  }
  const isCurrent = ({ version }: LedgerStamp): boolean => {
    if (version >= seenVersion) return true
    pause()
    return false
  }
  const reader = mapReader((call, stampOf) =>
    Effect.suspend(() =>
      Date.now() < pausedUntilMs ? call(primary) : Effect.matchEffect(call(replica), {
        onSuccess: (answer) => isCurrent(stampOf(answer)) ? Effect.succeed(answer) : call(primary),
        onFailure: (failure) => {
          if (failure._tag !== "NotRegistered") pause()
          else if (isCurrent(failure.stamp)) return Effect.fail(failure)
          return call(primary)
        }
      })
    )
  )
  return trackVersions({ reader, writer }, (version) =>
    Effect.sync(() => {
      seenVersion = Math.max(seenVersion, version)
    }))
}
