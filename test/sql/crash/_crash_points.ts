import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { join } from "node:path"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { LedgerHistory, LedgerReader, PoolStore } from "../../../core/ports/mod.ts"
import type { Child } from "../../journal/_child.ts"
import { type CrashReport, runCrashCampaign } from "../../journal/_crash_campaign.ts"
import { sleep } from "../../journal/_crash_moments.ts"
import { dumpStores, type StoreKeys } from "../../journal/_store_dump.ts"
import { execute } from "../../postgres/_statements.ts"
import type { Cluster } from "../../postgres/mod.ts"

/** The exit code of a process whose database was down for longer than a write is retried. */
const GAVE_UP = 3

/**
 * Kills processes that write to a database, and in every other crash the database server before
 * them.
 */
export const crashPoints = (
  cluster: Cluster,
  { points, seed, watch }: {
    readonly points: number
    readonly seed: string
    readonly watch?: (report: CrashReport) => void
  }
): Promise<CrashReport> =>
  runCrashCampaign({
    program: join(import.meta.dirname, "_crash_child.ts"),
    allowedExitCodes: [GAVE_UP],
    points,
    seed,
    acknowledgementsMax: 30,
    network: { users: 12, tokens: 3, count: 150 },
    inFlightMax: 1,
    watch,
    create: async (_, genesis) => {
      const url = await cluster.createDatabase()
      const stores = Layer.fresh(
        sqlStores({ url: Redacted.make(url), genesis, maxConnections: 6 })
      )
      return {
        place: url,
        kill: (child, chance) => kill(cluster, child, chance),
        dump: async (keys) => {
          await quiet(url)
          return Effect.runPromise(Effect.provide(Effect.scoped(dumpOf(stores, keys)), noLog))
        }
      }
    }
  })

const noLog = Logger.layer([])

async function kill(cluster: Cluster, child: Child, chance: () => number) {
  const ofServer = chance() < 0.5
  if (ofServer) {
    await cluster.kill()
    await cluster.restart()
    await sleep(chance() * 150)
  }
  child.kill()
  return { ofServer }
}

/** Waits until the server has finished the statements of the dead client. */
async function quiet(url: string): Promise<void> {
  await execute(
    url,
    `DO $$ BEGIN
  WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend') LOOP
    PERFORM pg_sleep(0.01);
    PERFORM pg_stat_clear_snapshot();
  END LOOP;
END $$`
  )
}

/** Returns what another process reads. */
const dumpOf = <E>(
  stores: Layer.Layer<LedgerReader | LedgerHistory | PoolStore, E>,
  keys: StoreKeys
) =>
  Effect.flatMap(Layer.build(stores), (services) =>
    dumpStores({
      reader: Context.get(services, LedgerReader),
      history: Context.get(services, LedgerHistory),
      store: Context.get(services, PoolStore)
    }, keys))
