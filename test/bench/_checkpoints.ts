import { Context, Effect, Layer } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import type { Simulation } from "../../app/simulator/mod.ts"
import type { PoolTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"
import { showFigure } from "./_figures.ts"

/**
 * Checkpoints of a directory that has none: the bytes of the first one and of the next, the longest
 * stall of the event loop meanwhile, while a post is written every few milliseconds, the bytes on
 * disk, and the time of a start. The stalls include those of the disk and of other load of the
 * machine; the CPU time of the longest turn does not.
 */
export const benchCheckpoints = async (
  directory: string,
  simulation: Simulation
): Promise<void> => {
  const before = simulation.transactionCount()
  const withStores = <A>(use: (stores: Stores) => Effect.Effect<A, unknown>) =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(openStores(directory, simulation), use)) as Effect.Effect<A>
    )
  await withStores((stores) =>
    Effect.gen(function*() {
      const [, posts] = yield* stallOf(stores, Effect.sleep(3000))
      const [first, stall] = yield* stallOf(stores, stores.journal.checkpoint)
      print(`checkpoint of ${before} transactions`, [
        `${mebibytes(first.writtenBytes)} MiB in ${seconds(first.durationMs)} s`,
        `longest stall ${stall}, with posts alone ${posts}`
      ])
      while (simulation.transactionCount() < before + 10_000) {
        yield* stores.ledger.applyRecord(simulation.next())
      }
      const [next, nextStall] = yield* stallOf(stores, stores.journal.checkpoint)
      print(`the next one, ${simulation.transactionCount() - before} transactions later`, [
        `${mebibytes(next.writtenBytes)} MiB in ${seconds(next.durationMs)} s`,
        `longest stall ${nextStall}`
      ])
      print("bytes of the checkpoint for each transaction", [
        String(Math.round(next.bytes / simulation.transactionCount()))
      ])
    })
  )
  const bytes = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  print("size of the directory, with the free space of the records", [`${mebibytes(bytes)} MiB`])
  await withStores(({ journal: { replayReport: { durationMs, records } } }) =>
    Effect.sync(() => print(`start, ${records} records behind it`, [`${seconds(durationMs)} s`]))
  )
}

interface Stores {
  readonly ledger: Ledger["Service"]
  readonly pool: PoolStore["Service"]
  readonly journal: JournalStores["Service"]
}

const openStores = (directory: string, { genesis }: Simulation) =>
  Effect.map(
    Layer.build(Layer.fresh(Layer.provideMerge(
      Ledger.layer(genesis, keccak256),
      journaledStores({ directory, genesis, checkpointBytes: Infinity, closingMs: 0 })
    ))),
    (services): Stores => ({
      ledger: Context.get(services, Ledger),
      pool: Context.get(services, PoolStore),
      journal: Context.get(services, JournalStores)
    })
  )

let postCount = 0

/**
 * Runs an effect while posts are written. Returns its result and the longest stall meanwhile, as
 * text.
 */
const stallOf = <A, E>({ pool }: Stores, effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const unlimited = { pendingMax: Infinity, pendingPerAccountMax: Infinity }
    const post = Effect.suspend(() =>
      pool.addTransaction(transactionOf(postCount++), ownersOf(1), unlimited)
    )
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    let [last, turnMs] = [process.threadCpuUsage(), 0]
    const timer = setInterval(() => {
      const { system, user } = process.threadCpuUsage(last)
      last = process.threadCpuUsage()
      turnMs = Math.max(turnMs, (system + user) / 1000)
    }, 1)
    const result = yield* Effect.raceFirst(
      effect,
      Effect.forever(Effect.andThen(post, Effect.sleep(5)))
    )
    delay.disable()
    clearInterval(timer)
    return [
      result,
      `${Math.round(delay.max / 1e6)} ms (${Math.round(turnMs)} ms of CPU time)`
    ] as const
  })

const print = (name: string, [measured = "", ...others]: ReadonlyArray<string>): void =>
  showFigure({ name, measured, conditions: others.join("; ") })
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1)
const seconds = (ms: number): string => (ms / 1000).toFixed(1)

export const transactionOf = (number: number): PoolTransaction => ({
  id: `0x02${number.toString(16).padStart(64, "0")}`,
  type: "Exit",
  tokenId: 0,
  fromAccountIndex: 256 + number % 100,
  toAccountIndex: 1,
  toAddress: null,
  toPublicKey: null,
  amount: 10n ** 18n,
  fee: 126,
  nonce: BigInt(number),
  signature: "0".repeat(128),
  request: null,
  state: "pend",
  timestampMs: 0,
  batchNum: null
})
