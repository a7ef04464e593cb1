import { Context, Effect, Layer, Redacted } from "effect"
import * as memory from "../../../adapters/memory/mod.ts"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import { LedgerReader, LedgerWriter, PoolStore } from "../../../core/ports/mod.ts"
import type { OpenPool } from "../../laws/mod.ts"

const opened = (services: Context.Context<LedgerReader | LedgerWriter | PoolStore>): OpenPool => ({
  reader: Context.get(services, LedgerReader),
  writer: Context.get(services, LedgerWriter),
  store: Context.get(services, PoolStore)
})

/** Both stores in memory, empty. */
export const openMemoryStores = (genesis: GenesisFeed) =>
  Effect.map(Layer.build(Layer.fresh(Layer.merge(memory.layer(genesis), memory.poolLayer))), opened)

/** Both stores of an empty place of a database, as one process has them open. */
export const openSqlStores = (url: string, genesis: GenesisFeed) =>
  Effect.map(Layer.build(Layer.fresh(sqlStores({ url: Redacted.make(url), genesis }))), opened)
