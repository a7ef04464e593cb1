import { afterAll, beforeAll } from "@effect/vitest"
import { Effect } from "effect"
import { simulate } from "../../../app/simulator/mod.ts"
import { type Cluster, startCluster } from "../../postgres/mod.ts"

const simulation = simulate({
  seed: "faults",
  users: 12,
  tokens: 3,
  rollBackPeriodBlocks: 0,
  placeholderRoots: true
})

/** A network for databases that fail, and its first blocks. */
export const { genesis } = simulation
export const chain = Array.from({ length: 30 }, () => simulation.next()).flatMap((record) =>
  record.kind === "block" ? [record.block] : []
).slice(0, 8)

/** Starts a server for a test file, which may stop and kill it. */
export const ownCluster = () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.remove())
  return {
    /** The URL of a new database. */
    database: Effect.promise(() => cluster.createDatabase()),
    stop: Effect.promise(() => cluster.stop()),
    kill: Effect.promise(() => cluster.kill()),
    restart: Effect.promise(() => cluster.restart())
  }
}
