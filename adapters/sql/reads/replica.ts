import { Effect } from "effect"
import { type LedgerReader, type LedgerStamp, mapReader } from "../../../core/ports/mod.ts"

/** Time during which a replica that failed or lagged is not used. */
const pauseMs = 200

/**
 * Returns a reader that uses a replica if its answer is at least as new as `seenVersion()`, the
 * greatest version that this process has returned or written. Otherwise, and if the replica fails,
 * it uses the primary. A client of one process therefore never sees the ledger go back; a client of
 * several processes can compare the versions in the headers.
 */
export const preferReplica = (
  primary: LedgerReader["Service"],
  replica: LedgerReader["Service"],
  seenVersion: () => number
): LedgerReader["Service"] => {
  let pausedUntilMs = 0
  const pause = (): void => {
    pausedUntilMs = Date.now() + pauseMs
  }
  const isCurrent = ({ version }: LedgerStamp): boolean => {
    if (version >= seenVersion()) return true
    pause()
    return false
  }
  return mapReader((call, stampOf) =>
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
}
