import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { bundledChild, startChild } from "./_child.ts"
import { randomOf, openModel } from "./_crash_model.ts"
import { crashMoments } from "./_crash_moments.ts"
import { openStores } from "./_directories.ts"
import { CONCURRENT_MAX, namesOf } from "./_script.ts"
import { storeContent } from "./_store_content.ts"

export interface CrashReport {
  readonly points: number
  /** Crashes at a random time after the start, independent of the running operation. */
  readonly byClock: number
  /** Writes that were acknowledged before a crash; all of them were found again. */
  readonly acknowledged: number
  /** Writes in progress at the crash that were found too. */
  readonly underWay: number
  /** Crashes before the directory was open. */
  readonly whileOpening: number
}

/** Writes that a process makes at most. */
const ACKNOWLEDGEMENTS_MAX = 40

/**
 * Kills a writing process at random moments; each process continues the work of the one before.
 * After each crash the stores must equal a model that made the same writes up to some point: all
 * acknowledged ones, then at most those of one step.
 */
export async function crashPoints(
  { points, seed }: { readonly points: number; readonly seed: string }
): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  const total = { points: 0, byClock: 0, acknowledged: 0, underWay: 0, whileOpening: 0 }
  try {
    const program = await bundledChild(join(import.meta.dirname, "_crash_child.ts"), folder)
    const moments = crashMoments(randomOf(seed), ACKNOWLEDGEMENTS_MAX)
    for (let run = 0; total.points < points; run++) {
      await crashUntilTheEnd({
        folder: join(folder, String(run)),
        moments,
        points,
        program,
        seed: `${seed}.${run}`,
        total
      })
    }
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run {
  readonly folder: string
  readonly moments: ReturnType<typeof crashMoments>
  readonly points: number
  readonly program: string
  readonly seed: string
  readonly total: { -readonly [Key in keyof CrashReport]: number }
}

async function crashUntilTheEnd(
  { folder, moments, points, program, seed, total }: Run
): Promise<void> {
  const simulation = simulate({
    seed,
    users: 20,
    tokens: 4,
    transactionsPerBlock: 5,
    exitShare: 0.08,
    rollBackPeriodBlocks: 8,
    placeholderRoots: true
  })
  const text = [...writeFeed(simulation, 500)].join("")
  const feed = `${folder}.ndjson`
  writeFileSync(feed, text)
  const { genesis } = simulation
  const model = await openModel(text, seed)
  // the next process loads the program during the comparison
  let next = startChild([program, folder, feed, seed])
  try {
    while (total.points < points && !model.ended) {
      const child = next
      child.begin(model.made)
      if (await moments.comes(child)) total.byClock++
      child.kill()
      const output = await child.ended
      moments.learn(output)
      next = startChild([program, folder, feed, seed])
      const { acknowledged, opened } = output
      total.points++
      total.acknowledged += acknowledged
      if (!opened) total.whileOpening++
      await model.make(acknowledged)
      const names = namesOf(model.made + CONCURRENT_MAX)
      const found = await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(openStores(folder, genesis), (stores) => storeContent(stores, names))
        )
      )
      let beyond = 0
      while (await Effect.runPromise(storeContent(model.stores, names)) !== found) {
        if (beyond === CONCURRENT_MAX) {
          throw new Error(
            `Seed ${seed}, crash ${total.points}: after ${acknowledged} more acknowledged writes the directory holds what no prefix of the script makes, expected write ${
              model.made - beyond
            } to ${model.made}`
          )
        }
        beyond += await model.make(1)
      }
      total.underWay += beyond
    }
  } finally {
    next.kill()
    // its files are about to be removed, and the first failure is reported
    await next.ended.catch(() => {})
  }
}
