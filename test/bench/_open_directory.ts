import { Context, Effect, Layer } from "effect"
import { JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { programNetwork } from "./sql/_sql_ledger.ts"

/** What opening the stores of a directory took. */
export interface Opening {
  readonly ms: number
  /** CPU time of the main thread. */
  readonly cpuMs: number
  /** Growth of the resident memory. */
  readonly bytes: number
  /** Records behind the checkpoint. */
  readonly records: number
}

/*
 * Opens the directory in the first argument and prints an `Opening`, as JSON. It is a process of its
 * own, whose memory grows by the stores alone.
 */
const directory = process.argv[2]!
const genesis: GenesisFeed = simulate(programNetwork).genesis
const bytesBefore = process.memoryUsage.rss()
const [startedMs, cpuBefore] = [performance.now(), process.threadCpuUsage()]
const opening = Effect.map(
  Layer.build(journaledStores({ directory, genesis, closingMs: 0 })),
  (stores): Opening => {
    const { system, user } = process.threadCpuUsage(cpuBefore)
    return {
      ms: performance.now() - startedMs,
      cpuMs: (system + user) / 1000,
      bytes: process.memoryUsage.rss() - bytesBefore,
      records: Context.get(stores, JournalStores).replayReport.records
    }
  }
)
console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(opening))))
