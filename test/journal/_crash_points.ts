import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { countOf, diceOf, openModel } from "./_crash_model.ts"
import { openStores } from "./_directories.ts"
import { AT_ONCE_MAX, namesOf } from "./_script.ts"
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
    const moment = { acknowledgements: early ? undefined : Math.floor(dice() ** 2 * 40), afterMs: dice() * (early ? 500 : 10) }
    const { acknowledged, opened } = await killed([CHILD, folder, feed, seed, String(model.made)], moment)
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

interface Moment {
  /** After the child opened the directory and acknowledged so many writes, which a slow machine takes longer for; undefined from its start. */
  readonly acknowledgements: number | undefined
  readonly afterMs: number
}

/** Runs a child to its crash. */
function killed(words: ReadonlyArray<string>, { acknowledgements, afterMs }: Moment): Promise<{ readonly opened: boolean; readonly acknowledged: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    let comes = false
    const killWhenDue = () => {
      if (comes || (acknowledgements !== undefined && (said === "" || countOf(said) < acknowledgements))) return
      comes = true
      setTimeout(() => child.kill("SIGKILL"), afterMs)
    }
    killWhenDue()
    child.stdout.on("data", (chunk: Buffer) => {
      said += String(chunk)
      killWhenDue()
    })
    child.once("close", (code, signal) => {
      const lines = said.split("\n").slice(0, -1)
      if (signal === "SIGKILL" || lines.at(-1) === "end") resolve({ opened: lines.length > 0, acknowledged: countOf(said) })
      else reject(new Error(`The child ended by itself with ${code} after "${lines.at(-1)}"`))
    })
  })
}
