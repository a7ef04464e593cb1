import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlStores } from "../../adapters/sql/mod.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { bundledChild, type Child, type ChildReport, startChild } from "../journal/_child.ts"
import { openModel, seededRandom } from "../journal/_crash_model.ts"
import { crashMoments, sleep } from "../journal/_crash_moments.ts"
import { keysOf } from "../journal/_script.ts"
import { dumpStores } from "../journal/_store_dump.ts"
import { execute } from "../postgres/_statements.ts"
import type { Cluster } from "../postgres/mod.ts"

export interface CrashReport {
  readonly points: number
  /** Of these, those whose moment the clock said: anywhere from the beginning of the run on, whatever was under way. */
  readonly byClock: number
  /** Of all, how many killed the server as well as the process that wrote. */
  readonly ofServer: number
  /** Writes that were acknowledged before a crash, all of which were found again. */
  readonly acknowledged: number
  /** Writes under way when the process died that were found too. */
  readonly underWay: number
}

type Total = { -readonly [Key in keyof CrashReport]: number }

/** Writes that a process makes at most, as far as it follows the clock of the ones before. */
const ACKNOWLEDGEMENTS_MAX = 30
/** What a process ends with where its database was away for longer than a write is tried. */
const GAVE_UP = 3

/**
 * Kills a writing process, and every other time the server of its database before it, at so many random moments; each process goes
 * on from what the last one left. After each crash the stores are those of a model that made the same writes up to some point: all
 * that were acknowledged, then at most the one that was under way.
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

/** One script from its beginning; a new database for each keeps what is compared small. */
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
  const dice = seededRandom(seed)
  const model = await openModel(text, seed)
  // while what one has left is looked at, the next one reads the program
  const start = () => startChild([program, url, feed, seed], [GAVE_UP])
  let next = start()
  try {
    while (total.points < points && !model.isFinished) {
      const ofServer = dice() < 0.5
      const child = next
      child.begin(model.writeCount)
      if (await moments.wait(child)) total.byClock++
      const said = await crash(cluster, child, { ofServer, thenMs: dice() * 150 })
      const { acknowledged } = said
      // of a child that lives through the end of its server the pace is that of its waiting
      if (!ofServer) moments.learn(said)
      next = start()
      total.points++
      total.acknowledged += acknowledged
      if (ofServer) total.ofServer++
      await model.write(acknowledged)
      const names = keysOf(model.writeCount + 8)
      await quiet(url)
      const found = await testimonyOf(url, simulation.genesis, names)
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
    // what it reads is about to be removed, and what went wrong before is told
    await next.ended.catch(() => {})
  }
}

interface Crash {
  readonly ofServer: boolean
  /** From the end of the server to that of the process. */
  readonly thenMs: number
}

/** Ends a child, after its server or alone. */
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

/** The server may finish what a dead client asked for: until it has noticed, nobody can tell what is there. */
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

/** What another process reads. */
const testimonyOf = (
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
          store: Context.get(services, PoolStore)
        }, names)
      )
    })).pipe(Effect.provide(Logger.layer([])))
  )

/** The order of an object's members is no part of an answer. */
const ordered = (text: string): string =>
  JSON.stringify(
    JSON.parse(text),
    (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))
        : value
  )
