/*
 * One of several processes over one database. Prints its port and, if it writes, the version after
 * each block.
 *
 *     node _server_process.ts URL SEED [write]
 */
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger } from "effect"
import { writeSync } from "node:fs"
import { networkOf, PACE_MS } from "./_network.ts"
import { served } from "../_running_node.ts"

const [url, seed, write] = process.argv.slice(2) as [string, string, string | undefined]
const { genesis, next } = networkOf(seed)

NodeRuntime.runMain(
  Effect.scoped(Effect.gen(function*() {
    const { ledger, port } = yield* served(url, {
      genesis,
      maxConnections: 6,
      lease: { termMs: 1000, heartbeatMs: 200, waits: true }
    })
    writeSync(1, `port ${port}\n`)
    if (write === undefined) return yield* Effect.never
    for (;;) {
      // applying a stored block again has no effect
      const { snapshotId } = yield* ledger.applyBlock(next())
      writeSync(1, `version ${snapshotId.version}\n`)
      yield* Effect.sleep(PACE_MS)
    }
  })).pipe(Effect.provide(Logger.layer([])))
)
