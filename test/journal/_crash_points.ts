import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { bundledChild, startChild } from "./_child.ts"
import { openModel, seededRandom } from "./_crash_model.ts"
import { crashMoments } from "./_crash_moments.ts"
import { openStores } from "./_directories.ts"
import { concurrentWritesMax, keysOf } from "./_script.ts"
import { dumpStores } from "./_store_dump.ts"

/** Counts of a series of crashes. */
export interface CrashReport {
  readonly points: number
  /** Points at a random moment by the clock. */
  readonly timed: number
  /** Writes that were acknowledged before a crash; all of them survived. */
  readonly acknowledged: number
  /** Unacknowledged writes at the time of a crash that survived as a whole. */
  readonly inFlight: number
  /** Points before the directory was open. */
  readonly whileOpening: number
  /** Checkpoints that were completed. */
  readonly checkpoints: number
  /** Points while a checkpoint was written or the records before it were deleted. */
  readonly inCheckpoints: number
}

/** Expected number of writes of a process that has the pace of the earlier ones. */
const acknowledgementsMax = 40

/**
 * Kills a writing process at random moments, `points` times. Each process continues from the data
 * that the last one left. Throws if the stores after a crash differ from every model that has
 * applied all acknowledged writes and at most one further step of the script.
 */
export async function crashPoints(
  { points, seed }: { readonly points: number; readonly seed: string }
): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  const total = {
    points: 0,
    timed: 0,
    acknowledged: 0,
    inFlight: 0,
    whileOpening: 0,
    checkpoints: 0,
    inCheckpoints: 0
  }
  try {
    const program = await bundledChild(join(import.meta.dirname, "_crash_child.ts"), folder)
    const moments = crashMoments(seededRandom(seed), acknowledgementsMax)
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
  // the next child loads its program while the data of the last one is checked
  let next = startChild([program, folder, feed, seed])
  try {
    while (total.points < points && !model.isFinished) {
      const child = next
      child.begin(model.writeCount)
      if (await moments.wait(child)) total.timed++
      child.kill()
      const report = await child.ended
      moments.learn(report)
      next = startChild([program, folder, feed, seed])
      const { acknowledged, checkpoints, hasOpened, isInCheckpoint } = report
      total.points++
      total.acknowledged += acknowledged
      if (!hasOpened) total.whileOpening++
      total.checkpoints += checkpoints
      if (isInCheckpoint) total.inCheckpoints++
      await model.write(acknowledged)
      const keys = keysOf(model.writeCount + concurrentWritesMax)
      const actual = await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(openStores(folder, genesis), (stores) => dumpStores(stores, keys))
        )
      )
      let inFlight = 0
      while (await Effect.runPromise(dumpStores(model.stores, keys)) !== actual) {
        if (inFlight === concurrentWritesMax) {
          throw new Error(
            `Seed ${seed}, crash ${total.points}: after ${acknowledged} more acknowledged writes the directory holds what no prefix of the script makes, expected write ${
              model.writeCount - inFlight
            } to ${model.writeCount}`
          )
        }
        inFlight += await model.write(1)
      }
      total.inFlight += inFlight
    }
  } finally {
    next.kill()
    // its files are about to be removed; an earlier error is more important than its own
    await next.ended.catch(() => {})
  }
}
