import { Effect } from "effect"
import type { GenesisFeed, RecommendedFeeOptions } from "../../../core/domain/mod.ts"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import type { Values } from "../connection/mod.ts"
import { findAccountsAndTokens, findItem } from "./_find.ts"
import { makeList } from "./_list.ts"
import { SlotReader } from "./_list_slots.ts"
import { readState } from "./_read_state.ts"
import { answerOf, headQuery, makeRunQuery, type OnVersion } from "./_run_query.ts"

export interface LedgerReaderOptions extends RecommendedFeeOptions {
  /** The network of the ledger. */
  readonly genesis: GenesisFeed
}

/**
 * Returns the read port of a ledger. Each answer is one statement, and so one snapshot.
 *
 * @param onVersion is called with the version of each answer before it is returned, and with the
 * version of a `NotRegistered` before the call fails with it
 */
export const makeLedgerReader = (
  values: Values,
  options: LedgerReaderOptions,
  onVersion: OnVersion = () => Effect.void
): LedgerReader["Service"] => {
  const runQuery = makeRunQuery(values, onVersion)
  const slots = new SlotReader(runQuery, options.genesis.constants.auction)
  return {
    list: makeList(runQuery, (query) => slots.list(query)),
    find: ((name, key) =>
      name === "slot"
        ? slots.find(key as number)
        : findItem(runQuery, name, key as never)) as LedgerReader["Service"]["find"],
    accountsAndTokens: (keys) => findAccountsAndTokens(runQuery, keys),
    state: readState(slots, options),
    snapshotId: answerOf(values, headQuery).pipe(
      Effect.map(({ snapshotId }) => snapshotId),
      Effect.tap(({ version }) => onVersion(version))
    )
  }
}
