import { Effect } from "effect"
import type { AuctionConstants } from "../../../core/domain/mod.ts"
import type { LedgerReader } from "../../../core/ports/mod.ts"
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
