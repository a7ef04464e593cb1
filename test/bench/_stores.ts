import { Context, Effect, Layer, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { type JournalOptions, JournalStores, journaledStores } from "../../adapters/journal/mod.ts"
import type { GenesisFeed, PoolTransaction } from "../../core/domain/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"

/** The stores of a directory. */
export interface DirectoryStores {
  readonly ledger: Ledger["Service"]
  readonly pool: PoolStore["Service"]
  readonly journal: JournalStores["Service"]
}

/** Opens the stores of a directory for an effect. They write no checkpoint by themselves. */
export const withStores = <A>(
  directory: string,
  genesis: GenesisFeed,
  use: (stores: DirectoryStores) => Effect.Effect<A, unknown, Scope.Scope>,
  options: Partial<JournalOptions> = { checkpointBytes: Infinity }
): Promise<A> => {
  const stores = journaledStores({ directory, genesis, closingMs: 0, ...options })
  return Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const services = yield* Layer.build(
      Layer.fresh(Layer.provideMerge(Ledger.layer(genesis, keccak256), stores))
    )
    return yield* use({
      ledger: Context.get(services, Ledger),
      pool: Context.get(services, PoolStore),
      journal: Context.get(services, JournalStores)
    })
  })))
}

/** Passes the path of a new directory, and removes it afterwards. */
export const inDirectory = async (use: (directory: string) => Promise<void>): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), "bench-"))
  try {
    await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

let posted = 0

/** Adds a transaction without a signature to a pool; no other call adds the same. */
export const postNext = (pool: PoolStore["Service"]) => {
  const limits = { pendingMax: Infinity, pendingPerAccountMax: Infinity }
  return Effect.suspend(() => pool.addTransaction(transactionOf(posted++), ownersOf(1), limits))
}

const transactionOf = (number: number): PoolTransaction => ({
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

/** Returns milliseconds of CPU time of this thread. */
export const threadCpuMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

export const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
