import { isHealthy, type NodeHealth, type StoreHealth } from "../../domain/mod.ts"
import { dateTime, healthStatus, text } from "../scalars/mod.ts"
import { programVersion } from "../wire_context.ts"
import { documented, named, nullable, object, shape } from "../objects/mod.ts"

const storeHealth = object("StoreHealth", "Whether a store answers", {
  status: healthStatus,
  version: documented(text, "Name and version of its software"),
  lastMigration: named(
    "last_migration",
    nullable(text),
    "Last applied migration; null if the store has none"
  )
})
const statusOf = (isUp: boolean) => isUp ? "UP" : "DOWN"
const storeView = (store: StoreHealth) => ({ ...store, status: statusOf(store.isUp) } as const)

export const health = shape(
  object("Health", "Whether the node can answer", {
    status: healthStatus,
    version: documented(text, "Version of the program"),
    timestampMs: named("timestamp", dateTime),
    ledger: named("historyDB", storeHealth, "The store of the ledger"),
    pool: named("l2DB", storeHealth, "The store of the pool")
  }),
  (health: NodeHealth) => ({
    status: statusOf(isHealthy(health)),
    version: programVersion,
    timestampMs: health.timestampMs,
    ledger: storeView(health.ledger),
    pool: storeView(health.pool)
  } as const)
)
