import { Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { LedgerReader, LedgerWriter, PoolStore } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { openStores } from "./_directories.ts"
import { readFeed } from "./_feed.ts"
import { AT_ONCE_MAX, namesOf, scriptOf, type Write } from "./_script.ts"
import { testimony } from "./_witness.ts"

export interface CrashReport {
  readonly points: number
  /** Writes that were acknowledged before a crash, all of which were found again. */
  readonly acknowledged: number
  /** Writes beyond those, under way when the process died, that were found too. */
  readonly underWay: number
  /** Crashes before the directory was open. */
  readonly whileOpening: number
}

const CHILD = join(import.meta.dirname, "_crash_child.ts")

/**
 * Kills a writing process at so many random moments, each time the one that goes on from what the last one left. After each crash the
 * stores are those of a model that made the same writes up to some point: all that were acknowledged, then at most those of one step.
 */
export async function crashPoints({ points, seed }: { readonly points: number; readonly seed: string }): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  const total = { points: 0, acknowledged: 0, underWay: 0, whileOpening: 0 }
  try {
    for (let run = 0; total.points < points; run++) await crashUntilTheEnd(join(folder, String(run)), `${seed}.${run}`, points, total)
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function crashUntilTheEnd(folder: string, seed: string, points: number, total: { -readonly [Key in keyof CrashReport]: number }): Promise<void> {
  const simulation = simulate({ seed, users: 20, tokens: 4, transactionsPerBlock: 5, exitShare: 0.08, rollBackPeriodBlocks: 8, standInRoots: true })
  const text = [...writeFeed(simulation, 500)].join("")
  const feed = `${folder}.ndjson`
  writeFileSync(feed, text)
  const { genesis } = simulation
  const dice = diceOf(seed)
  const model = await openModel(text, seed)
  while (total.points < points && !model.ended) {
    const early = dice() < 0.1
    const { acknowledged, opened } = await killed([CHILD, folder, feed, seed, String(model.made)], early ? "early" : "late", early ? dice() * 500 : dice() ** 2 * 300)
    total.points++
    total.acknowledged += acknowledged
    if (!opened) total.whileOpening++
    await model.make(acknowledged)
    const names = namesOf(model.made + AT_ONCE_MAX)
    const found = await Effect.runPromise(Effect.scoped(Effect.flatMap(openStores(folder, genesis), (stores) => testimony(stores, names))))
    let beyond = 0
    while (await Effect.runPromise(testimony(model.stores, names)) !== found) {
      if (beyond === AT_ONCE_MAX) {
        throw new Error(`Seed ${seed}, crash ${total.points}: after ${acknowledged} more acknowledged writes the directory holds what no prefix of the script makes, expected write ${model.made - beyond} to ${model.made}`)
      }
      beyond += await model.make(1)
    }
    total.underWay += beyond
  }
}

/** Runs a child and kills it some time after it started, or after it opened the directory. */
function killed(words: ReadonlyArray<string>, when: "early" | "late", afterMs: number): Promise<{ readonly opened: boolean; readonly acknowledged: number }> {
  return new Promise((resolve, reject) => {
    // most of the time that a child takes goes into reading the program
    const env = { ...process.env, NODE_COMPILE_CACHE: join(dirname(words[1]!), "compiled") }
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"], env })
    const kill = () => setTimeout(() => child.kill("SIGKILL"), afterMs)
    let said = ""
    if (when === "early") kill()
    child.stdout.on("data", (chunk: Buffer) => {
      if (said === "" && when === "late") kill()
      said += String(chunk)
    })
    child.once("close", (code, signal) => {
      const lines = said.split("\n").slice(0, -1)
      if (signal === "SIGKILL" || lines.at(-1) === "end") resolve({ opened: lines.length > 0, acknowledged: lines.filter((line) => line === "ack").length })
      else reject(new Error(`The child ended by itself with ${code} after "${lines.at(-1)}"`))
    })
  })
}

/** The same script on stores in memory, as far as it was made. */
async function openModel(feed: string, seed: string) {
  const records = readFeed(feed)
  const { genesis } = records
  const services = await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(layer(genesis)))))))
  const stores = { reader: Context.get(services, LedgerReader), writer: Context.get(services, LedgerWriter), store: openMemoryPool() satisfies PoolStore["Service"] }
  const written = { ledger: Context.get(services, Ledger), store: stores.store }
  const writes = (function*(): Generator<Write, void> {
    for (const step of scriptOf(records, seed)) yield* step
  })()
  const model = {
    stores, made: 0, ended: false,
    /** Makes the next writes; how many there were. */
    make: async (count: number): Promise<number> => {
      for (let made = 0; made < count; made++) {
        const next = writes.next()
        if (next.done === true) {
          model.ended = true
          return made
        }
        await Effect.runPromise(next.value(written))
        model.made++
      }
      return count
    }
  }
  return model
}

function diceOf(seed: string): () => number {
  let state = [...seed].reduce((sum, character) => (sum * 33 + character.charCodeAt(0)) % 2147483647, 16807) || 1
  return () => (state = state * 16807 % 2147483647) / 2147483647
}
