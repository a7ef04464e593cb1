import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { bundledChild, type Child, startChild } from "./_child.ts"
import { openModel } from "./_crash_model.ts"
import { crashMoments } from "./_crash_moments.ts"
import { concurrentWritesMax, keysOf, seededRandom } from "./_script.ts"
import { dumpStores } from "./_store_dump.ts"

/** Counts of a series of crashes. */
export interface CrashReport {
  readonly points: number
  /** Points at a random moment by the clock. */
  readonly timed: number
  /** Crashes that killed the database server, too. */
  readonly ofServer: number
  /** Writes that were acknowledged before a crash; all of them survived. */
  readonly acknowledged: number
  /** Unacknowledged writes at the time of a crash that survived as a whole. */
  readonly inFlight: number
  /** Points before the stores were open. */
  readonly whileOpening: number
  /** Checkpoints that were completed. */
  readonly checkpoints: number
  /** Points while a checkpoint was written or the records before it were deleted. */
  readonly inCheckpoints: number
}

/** Durable stores of one script, which a series of children write to. */
export interface CrashedStores {
  /** The place of the stores, the first argument of a child. */
  readonly place: string
  /** Kills a child, and the server before it if the number from 0 to 1 says so; returns if so. */
  readonly kill: (child: Child, chance: () => number) => Promise<{ readonly ofServer: boolean }>
  /** Returns the content that another process finds. */
  readonly dump: (keys: ReturnType<typeof keysOf>) => Promise<string>
}

/** How the crash points of one kind of stores are made. */
export interface CrashCampaign {
  /** The program of a child. */
  readonly program: string
  /** Exit codes that end a child without a failure. */
  readonly allowedExitCodes?: ReadonlyArray<number>
  readonly points: number
  readonly seed: string
  /** Expected number of writes of a process that has the pace of the earlier ones. */
  readonly acknowledgementsMax: number
  /** Size of the network of each script. */
  readonly network: { readonly users: number; readonly tokens: number; readonly count: number }
  /** Maximum number of unacknowledged writes. */
  readonly inFlightMax: number
  /** Creates empty stores for a script. */
  readonly create: (folder: string, genesis: GenesisFeed) => Promise<CrashedStores>
  /** Called after each point. */
  readonly watch?: ((report: CrashReport) => void) | undefined
}

type Total = { -readonly [Key in keyof CrashReport]: number }

/**
 * Kills a writing process at random moments, `points` times. Each process continues from the data
 * that the last one left. Throws if the stores after a crash differ from every model that has
 * applied all acknowledged writes and at most one further step of the script.
 */
export async function runCrashCampaign(campaign: CrashCampaign): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  const total: Total = {
    points: 0,
    timed: 0,
    ofServer: 0,
    acknowledged: 0,
    inFlight: 0,
    whileOpening: 0,
    checkpoints: 0,
    inCheckpoints: 0
  }
  try {
    const program = await bundledChild(campaign.program, folder)
    const moments = crashMoments(
      seededRandom(`${campaign.seed} moments`),
      campaign.acknowledgementsMax
    )
    for (let run = 0; total.points < campaign.points; run++) {
      const seed = `${campaign.seed}.${run}`
      await crashUntilTheEnd({ ...campaign, folder, moments, program, run, seed, total })
    }
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run extends CrashCampaign {
  readonly folder: string
  readonly moments: ReturnType<typeof crashMoments>
  readonly run: number
  readonly total: Total
}

/** Runs one script from its beginning; new stores for each script keep the comparison small. */
async function crashUntilTheEnd(
  { create, folder, moments, network, points, run, seed, total, ...campaign }: Run
): Promise<void> {
  const { count, ...size } = network
  const simulation = simulate({
    ...size,
    seed,
    transactionsPerBlock: 5,
    exitShare: 0.08,
    rollBackPeriodBlocks: 8,
    placeholderRoots: true
  })
  const text = [...writeFeed(simulation, count)].join("")
  const feed = join(folder, `${run}.ndjson`)
  writeFileSync(feed, text)
  const stores = await create(join(folder, String(run)), simulation.genesis)
  const model = await openModel(text, seed)
  const chance = seededRandom(seed)
  const start = () =>
    startChild([campaign.program, stores.place, feed, seed], campaign.allowedExitCodes)
  // the next child loads its program while the data of the last one is checked
  let next = start()
  try {
    while (total.points < points && !model.isFinished) {
      const child = next
      child.begin(model.writeCount)
      if (await moments.wait(child)) total.timed++
      const { ofServer } = await stores.kill(child, chance)
      const report = await child.ended
      // the duration of a child that survives its server depends on its retries
      if (!ofServer) moments.learn(report)
      next = start()
      const { acknowledged, checkpoints, hasOpened, isInCheckpoint } = report
      total.points++
      total.acknowledged += acknowledged
      total.checkpoints += checkpoints
      if (ofServer) total.ofServer++
      if (!hasOpened) total.whileOpening++
      if (isInCheckpoint) total.inCheckpoints++
      await model.write(acknowledged)
      total.inFlight += await inFlightIn(stores, model, {
        inFlightMax: campaign.inFlightMax,
        point: `Seed ${seed}, crash ${total.points}`
      })
      campaign.watch?.(total)
    }
  } finally {
    next.kill()
    // its files are about to be removed; an earlier error is more important than its own
    await next.ended.catch(() => {})
  }
}

/** Returns the number of unacknowledged writes that the stores contain, and writes them to the model. */
async function inFlightIn(
  stores: CrashedStores,
  model: Awaited<ReturnType<typeof openModel>>,
  { inFlightMax, point }: { readonly inFlightMax: number; readonly point: string }
): Promise<number> {
  const keys = keysOf(model.writeCount + concurrentWritesMax)
  const actual = ordered(await stores.dump(keys))
  const expected = async () => ordered(await Effect.runPromise(dumpStores(model.stores, keys)))
  let inFlight = 0
  for (; await expected() !== actual; inFlight++) {
    if (inFlight === inFlightMax || await model.write(1) === 0) {
      throw new Error(
        `${point}: the stores hold what no prefix of the script makes, expected write ${
          model.writeCount - inFlight
        } to ${model.writeCount}`
      )
    }
  }
  return inFlight
}

/** The order of an object's members does not matter. */
const ordered = (text: string): string =>
  JSON.stringify(
    JSON.parse(text),
    (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
        : value
  )
