import { Effect, Layer } from "effect"
import type { ListItems, ListName, ListQuery } from "../../../core/contract/mod.ts"
import type { AuctionConstants } from "../../../core/domain/mod.ts"
import {
  LedgerReader,
  type NotRegistered,
  type Page,
  type StoreFailure
} from "../../../core/ports/mod.ts"
import { Database, readAnswer, storeFailure, type Values } from "../connection/mod.ts"
import { findItem, findAccountsAndTokens } from "./_find.ts"
import { headStatement, listTable, listTokens } from "./_list.ts"
import { makeSlotReader } from "./_list_slots.ts"
import { type FeeBounds, stateReader } from "./_read_state.ts"
import { makeRunQuery } from "./_run_query.ts"

export interface LedgerReaderOptions extends Partial<FeeBounds> {
  /** Those of the network whose ledger the database holds. */
  readonly auction: Pick<AuctionConstants, "genesisBlockNum" | "blocksPerSlot">
}

/** Reads a ledger through any door to its database. Each answer is one statement. */
export const makeLedgerReader = (
  values: Values,
  { auction, maxFeeUSD = Infinity, minFeeUSD = 0 }: LedgerReaderOptions
): LedgerReader["Service"] => {
  const runQuery = makeRunQuery(values)
  const slots = makeSlotReader(runQuery, auction)
  const list = (
    name: ListName,
    query: ListQuery<never>
  ): Effect.Effect<Page<ListItems[ListName]>, NotRegistered | StoreFailure> => {
    switch (name) {
      case "slots":
        return slots.list(query)
      case "tokens":
        return listTokens(runQuery, query)
      default:
        return listTable(runQuery, name, query)
    }
  }
  return {
    list: list as LedgerReader["Service"]["list"],
    find: ((name, key) =>
      name === "slot"
        ? slots.find(key as number)
        : findItem(runQuery, name, key as never)) as LedgerReader["Service"]["find"],
    accountsAndTokens: (of) => findAccountsAndTokens(runQuery, of),
    state: stateReader(runQuery, auction, { minFeeUSD, maxFeeUSD }),
    stamp: Effect.map(
      Effect.mapError(values(headStatement, []), storeFailure),
      (rows) => readAnswer(rows).stamp
    )
  }
}

/** The reading half of the ledger over PostgreSQL. */
export const ledgerReaderLayer = (
  options: LedgerReaderOptions
): Layer.Layer<LedgerReader, never, Database> =>
  Layer.effect(
    LedgerReader,
    Effect.map(Database, ({ values }) => makeLedgerReader(values, options))
  )
