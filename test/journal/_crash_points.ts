import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { bundledChild, startChild } from "./_child.ts"
import { randomOf, openModel } from "./_crash_model.ts"
import { crashMoments } from "./_crash_moments.ts"
import { openStores } from "./_directories.ts"
import { AT_ONCE_MAX, namesOf } from "./_script.ts"
import { testimony } from "./_witness.ts"

export interface CrashReport {
  readonly points: number
  /** Of these, those whose moment the clock said: anywhere from the beginning of the run on, whatever was under way. */
  readonly byClock: number
  /** Writes that were acknowledged before a crash, all of which were found again. */
  readonly acknowledged: number
  /** Writes beyond those, under way when the process died, that were found too. */
  readonly underWay: number
  /** Crashes before the directory was open. */
  readonly whileOpening: number
}

/** Writes that a process makes at most, as far as it follows the clock of the ones before. */
const ACKNOWLEDGEMENTS_MAX = 40

/**
 * Kills a writing process at so many random moments, each time the one that goes on from what the last one left. After each crash the
 * stores are those of a model that made the same writes up to some point: all that were acknowledged, then at most those of one step.
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
    standInRoots: true
  })
  const text = [...writeFeed(simulation, 500)].join("")
  const feed = `${folder}.ndjson`
  writeFileSync(feed, text)
  const { genesis } = simulation
  const model = await openModel(text, seed)
  // while what one has left is looked at, the next one reads the program
  let next = startChild([program, folder, feed, seed])
  try {
    while (total.points < points && !model.ended) {
      const child = next
      child.begin(model.made)
      if (await moments.comes(child)) total.byClock++
      child.kill()
      const said = await child.ended
      moments.learn(said)
      next = startChild([program, folder, feed, seed])
      const { acknowledged, opened } = said
      total.points++
      total.acknowledged += acknowledged
      if (!opened) total.whileOpening++
      await model.make(acknowledged)
      const names = namesOf(model.made + AT_ONCE_MAX)
      const found = await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(openStores(folder, genesis), (stores) => testimony(stores, names))
        )
      )
      let beyond = 0
      while (await Effect.runPromise(testimony(model.stores, names)) !== found) {
        if (beyond === AT_ONCE_MAX) {
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
    // what it reads is about to be removed, and what went wrong before is told
    await next.ended.catch(() => {})
  }
}
