import { isHealthy, type NodeHealth, type StoreHealth } from "../../domain/mod.ts"
import { dateTime, healthStatus, text } from "../scalars/mod.ts"
import { programVersion } from "../wire_context.ts"
import { field, nullable, reference, shape } from "../wire_type.ts"

const statusOf = (isUp: boolean) => isUp ? "UP" : "DOWN"

const storeHealth = shape<StoreHealth>("StoreHealth", "Whether a store answers", {
  status: field(healthStatus, ({ isUp }) => statusOf(isUp)),
  version: field(text, ({ version }) => version, "Name and version of its software"),
  last_migration: field(
    nullable(text),
    ({ lastMigration }) => lastMigration,
    "Last applied migration; null if the store has none"
  )
})

export const health = shape<NodeHealth>("Health", "Whether the node can answer", {
  status: field(healthStatus, (health) => statusOf(isHealthy(health))),
  version: field(text, () => programVersion, "Version of the program"),
  timestamp: field(dateTime, ({ timestampMs }) => timestampMs),
  historyDB: field(reference(storeHealth), ({ ledger }) => ledger, "The store of the ledger"),
  l2DB: field(reference(storeHealth), ({ pool }) => pool, "The store of the pool")
})
