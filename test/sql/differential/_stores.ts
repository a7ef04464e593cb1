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

/** Opens both stores in memory, empty. */
export const openMemoryStores = (genesis: GenesisFeed) =>
  Effect.map(Layer.build(Layer.fresh(Layer.merge(memory.layer(genesis), memory.poolLayer))), opened)

/** Opens both stores over an empty database, as one process does. */
export const openSqlStores = (url: string, genesis: GenesisFeed) =>
  Effect.map(Layer.build(Layer.fresh(sqlStores({ url: Redacted.make(url), genesis }))), opened)
