import { Context, Effect, Layer } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import type { Simulation } from "../../app/simulator/mod.ts"
import type { PoolTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"

/**
 * Checkpoints of a directory that has none: the bytes of the first one and of the next, the longest
 * stall of the event loop meanwhile, while a post is written every few milliseconds, the bytes on
 * disk, and the time of a start. The stalls include those of the disk.
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
      const [, postsMs] = yield* stallOf(stores, Effect.sleep(3000))
      const [first, stallMs] = yield* stallOf(stores, stores.journal.checkpoint)
      print(`checkpoint of ${before} transactions`, [
        `${mebibytes(first.writtenBytes)} MiB in ${seconds(first.durationMs)} s`,
        `longest stall ${Math.round(stallMs)} ms, with posts alone ${Math.round(postsMs)} ms`
      ])
      while (simulation.transactionCount() < before + 10_000) {
        yield* stores.ledger.applyRecord(simulation.next())
      }
      const [next, nextStallMs] = yield* stallOf(stores, stores.journal.checkpoint)
      print(`the next one, ${simulation.transactionCount() - before} transactions later`, [
        `${mebibytes(next.writtenBytes)} MiB in ${seconds(next.durationMs)} s`,
        `longest stall ${Math.round(nextStallMs)} ms`
      ])
      print("bytes of the checkpoint for each transaction", [
        String(Math.round(next.bytes / simulation.transactionCount()))
      ])
    })
  )
  const file = statSync(join(directory, "journal.sqlite")).size
  print("size of the file, with the free space of the records", [`${mebibytes(file)} MiB`])
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
      journaledStores({ directory, genesis, checkpointBytes: Infinity })
    ))),
    (services): Stores => ({
      ledger: Context.get(services, Ledger),
      pool: Context.get(services, PoolStore),
      journal: Context.get(services, JournalStores)
    })
  )

let posts = 0

/** Runs an effect while posts are written. Returns its result and the longest stall meanwhile. */
const stallOf = <A, E>({ pool }: Stores, effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const unlimited = { pendingMax: Infinity, pendingPerAccountMax: Infinity }
    const post = Effect.suspend(() =>
      pool.addTransaction(transactionOf(posts++), "0".repeat(64), unlimited)
    )
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const result = yield* Effect.raceFirst(
      effect,
      Effect.forever(Effect.andThen(post, Effect.sleep(5)))
    )
    delay.disable()
    return [result, delay.max / 1e6] as const
  })

const print = (name: string, figures: ReadonlyArray<string>): void =>
  console.log(`  ${name}   ${figures.join("; ")}`)
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
