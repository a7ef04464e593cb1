import { Effect } from "effect"
import type { AuctionConstants } from "../../../core/domain/mod.ts"
import { type LedgerReader, type LedgerStamp, mapReader } from "../../../core/ports/mod.ts"
import { readAnswer, storeFailure, type Values } from "../connection/mod.ts"
import { findAccountsAndTokens, findItem } from "./_find.ts"
import { makeList } from "./_list.ts"
import { makeSlotReader } from "./_list_slots.ts"
import { type FeeBounds, makeReadState } from "./_read_state.ts"
import { headStatement, makeRunQuery, type OnVersion } from "./_run_query.ts"

export interface LedgerReaderOptions extends Partial<FeeBounds> {
  /** Constants of the network of the ledger. */
  readonly auction: Pick<AuctionConstants, "genesisBlockNum" | "blocksPerSlot">
}

/**
 * Returns the read port of a ledger. Each answer is one statement, and so one snapshot.
 *
 * @param onVersion is called with the version of each answer before it is returned, and with the
 * version of a `NotRegistered` before the call fails with it
 */
export const makeLedgerReader = (
  values: Values,
  { auction, maxFeeUSD = Infinity, minFeeUSD = 0 }: LedgerReaderOptions,
  onVersion: OnVersion = () => Effect.void
): LedgerReader["Service"] => {
  const runQuery = makeRunQuery(values, onVersion)
  const slots = makeSlotReader(runQuery, auction)
  return {
    list: makeList(runQuery, slots.list),
    find: ((name, key) =>
      name === "slot"
        ? slots.find(key as number)
        : findItem(runQuery, name, key as never)) as LedgerReader["Service"]["find"],
    accountsAndTokens: (keys) => findAccountsAndTokens(runQuery, keys),
    state: makeReadState(runQuery, auction, { minFeeUSD, maxFeeUSD }),
    stamp: values(headStatement, []).pipe(
      Effect.mapBoth({ onSuccess: (rows) => readAnswer(rows).stamp, onFailure: storeFailure }),
      Effect.tap(({ version }) => onVersion(version))
    )
  }
}

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
