import { Effect } from "effect"
import { join } from "node:path"
import { type CrashReport, runCrashCampaign } from "./_crash_campaign.ts"
import { openStores } from "./_directories.ts"
import { concurrentWritesMax } from "./_script.ts"
import { dumpStores } from "./_store_dump.ts"

/** Kills processes that write to a directory and its checkpoints. */
export const crashPoints = (
  { points, seed }: { readonly points: number; readonly seed: string }
): Promise<CrashReport> =>
  runCrashCampaign({
    program: join(import.meta.dirname, "_crash_child.ts"),
    points,
    seed,
    acknowledgementsMax: 40,
    network: { users: 20, tokens: 4, count: 500 },
    inFlightMax: concurrentWritesMax,
    create: async (place, genesis) => ({
      place,
      kill: async (child) => {
        child.kill()
        return { ofServer: false }
      },
      dump: (keys) =>
        Effect.runPromise(
          Effect.scoped(
            Effect.flatMap(openStores(place, genesis), (stores) => dumpStores(stores, keys))
          )
        )
    })
  })
