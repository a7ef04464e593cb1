import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { simulate, writeFeed } from "../../../app/simulator/mod.ts"
import { LedgerHistory, LedgerReader, PoolStore } from "../../../core/ports/mod.ts"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import { bundledChild, type Child, type ChildReport, startChild } from "../../journal/_child.ts"
import { seededRandom, openModel } from "../../journal/_crash_model.ts"
import { crashMoments, sleep } from "../../journal/_crash_moments.ts"
import { keysOf } from "../../journal/_script.ts"
import { dumpStores } from "../../journal/_store_dump.ts"
import { execute } from "../../postgres/_statements.ts"
import type { Cluster } from "../../postgres/mod.ts"

export interface CrashReport {
  readonly points: number
  /** Crashes at a random time after the start, independent of the running operation. */
  readonly byClock: number
  /** Crashes that killed the server and the writing process. */
  readonly ofServer: number
  /** Writes that were acknowledged before a crash; all of them were found again. */
  readonly acknowledged: number
  /** Writes in progress at the crash that were found too. */
  readonly underWay: number
}

type Total = { -readonly [Key in keyof CrashReport]: number }

/** Writes that a process makes at most. */
const ACKNOWLEDGEMENTS_MAX = 30
/** The exit code of a process whose database was down for longer than a write is retried. */
const GAVE_UP = 3

/**
 * Kills a writing process at random moments, and in every other crash the database server before
 * it; each process continues the work of the one before. After each crash the stores must equal a
 * model that made the same writes up to some point: all acknowledged ones, then at most the one in
 * progress.
 */
export async function crashPoints(
  cluster: Cluster,
  { points, seed, watch = () => {} }: {
    readonly points: number
    readonly seed: string
    readonly watch?: (sofar: CrashReport) => void
  }
): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  const total: Total = { points: 0, byClock: 0, ofServer: 0, acknowledged: 0, underWay: 0 }
  try {
    const program = await bundledChild(join(import.meta.dirname, "_crash_child.ts"), folder)
    const moments = crashMoments(seededRandom(`${seed} moments`), ACKNOWLEDGEMENTS_MAX)
    for (let run = 0; total.points < points; run++) {
      await crashUntilTheEnd({
        cluster,
        moments,
        program,
        seed: `${seed}.${run}`,
        feed: join(folder, `${run}.ndjson`),
        points,
        total,
        watch
      })
    }
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run {
  readonly cluster: Cluster
  readonly moments: ReturnType<typeof crashMoments>
  readonly program: string
  readonly seed: string
  readonly feed: string
  readonly points: number
  readonly total: Total
  readonly watch: (sofar: CrashReport) => void
}

/**
 * Runs one script from its beginning; a new database for each script keeps the comparison small.
 */
async function crashUntilTheEnd(
  { cluster, feed, moments, points, program, seed, total, watch }: Run
): Promise<void> {
  const simulation = simulate({
    seed,
    users: 12,
    tokens: 3,
    transactionsPerBlock: 5,
    exitShare: 0.08,
    rollBackPeriodBlocks: 8,
    placeholderRoots: true
  })
  const text = [...writeFeed(simulation, 150)].join("")
  writeFileSync(feed, text)
  const url = await cluster.createDatabase()
  const random = seededRandom(seed)
  const model = await openModel(text, seed)
  // the next process loads the program during the comparison
  const start = () => startChild([program, url, feed, seed], [GAVE_UP])
  let next = start()
  try {
    while (total.points < points && !model.isFinished) {
      const ofServer = random() < 0.5
      const child = next
      child.begin(model.writeCount)
      if (await moments.wait(child)) total.byClock++
      const output = await crash(cluster, child, { ofServer, thenMs: random() * 150 })
      const { acknowledged } = output
      // the duration of a child that survives its server depends on its retries
      if (!ofServer) moments.learn(output)
      next = start()
      total.points++
      total.acknowledged += acknowledged
      if (ofServer) total.ofServer++
      await model.write(acknowledged)
      const names = keysOf(model.writeCount + 8)
      await quiet(url)
      const found = await dumpOf(url, simulation.genesis, names)
      const expected = async () => ordered(await Effect.runPromise(dumpStores(model.stores, names)))
      const atLeast = await expected()
      if (atLeast !== found) {
        if (await model.write(1) === 1) total.underWay++
        if (await expected() !== found) {
          throw new Error(
            `Seed ${seed}, crash ${total.points}: after ${acknowledged} more acknowledged writes the database holds what no prefix of the script makes, expected write ${
              model.writeCount - 1
            } or ${model.writeCount}`
          )
        }
      }
      watch(total)
    }
  } finally {
    next.kill()
    // its files are about to be removed, and the first failure is reported
    await next.ended.catch(() => {})
  }
}

interface Crash {
  readonly ofServer: boolean
  /** Time from the end of the server to that of the process. */
  readonly thenMs: number
}

/** Kills a child, after its server or alone. */
async function crash(
  cluster: Cluster,
  child: Child,
  { ofServer, thenMs }: Crash
): Promise<ChildReport> {
  if (ofServer) {
    await cluster.kill()
    await cluster.restart()
    await sleep(thenMs)
  }
  child.kill()
  return child.ended
}

/** Waits until the server has finished the statements of the dead client. */
async function quiet(url: string): Promise<void> {
  await execute(
    url,
    `DO $$ BEGIN
  WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend') LOOP
    PERFORM pg_sleep(0.01);
    PERFORM pg_stat_clear_snapshot();
  END LOOP;
END $$`
  )
}

/** Returns what another process reads. */
const dumpOf = (
  url: string,
  genesis: GenesisFeed,
  names: ReturnType<typeof keysOf>
): Promise<string> =>
  Effect.runPromise(
    Effect.scoped(Effect.gen(function*() {
      const services = yield* Layer.build(
        Layer.fresh(sqlStores({ url: Redacted.make(url), genesis, maxConnections: 6 }))
      )
      return ordered(
        yield* dumpStores({
          reader: Context.get(services, LedgerReader),
          history: Context.get(services, LedgerHistory),
          store: Context.get(services, PoolStore)
        }, names)
      )
    })).pipe(Effect.provide(Logger.layer([])))
  )

/** The order of an object's members does not matter. */
const ordered = (text: string): string =>
  JSON.stringify(
    JSON.parse(text),
    (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
        : value
  )
