import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sqlStores } from "../../adapters/sql/mod.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { countOf, diceOf, openModel } from "../journal/_crash_model.ts"
import { namesOf } from "../journal/_script.ts"
import { testimony } from "../journal/_witness.ts"
import { execute } from "../postgres/_statements.ts"
import type { Cluster } from "../postgres/mod.ts"

export interface CrashReport {
  readonly points: number
  /** Of these, how many killed the server as well as the process that wrote. */
  readonly ofServer: number
  /** Writes that were acknowledged before a crash, all of which were found again. */
  readonly acknowledged: number
  /** Writes under way when the process died that were found too. */
  readonly underWay: number
}

type Total = { -readonly [Key in keyof CrashReport]: number }

const CHILD = join(import.meta.dirname, "_crash_child.ts")

/**
 * Kills a writing process, and every other time the server of its database before it, at so many random moments; each process goes
 * on from what the last one left. After each crash the stores are those of a model that made the same writes up to some point: all
 * that were acknowledged, then at most the one that was under way.
 */
export async function crashPoints(
  cluster: Cluster, { points, seed, watch = () => {} }: { readonly points: number; readonly seed: string; readonly watch?: (sofar: CrashReport) => void }
): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), "crash-"))
  const total: Total = { points: 0, ofServer: 0, acknowledged: 0, underWay: 0 }
  try {
    for (let run = 0; total.points < points; run++) {
      await crashUntilTheEnd({ cluster, seed: `${seed}.${run}`, feed: join(folder, `${run}.ndjson`), points, total, watch })
    }
    return total
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Run {
  readonly cluster: Cluster
  readonly seed: string
  readonly feed: string
  readonly points: number
  readonly total: Total
  readonly watch: (sofar: CrashReport) => void
}

/** One script from its beginning; a new database for each keeps what is compared small. */
async function crashUntilTheEnd({ cluster, feed, points, seed, total, watch }: Run): Promise<void> {
  const simulation = simulate({ seed, users: 12, tokens: 3, transactionsPerBlock: 5, exitShare: 0.08, rollBackPeriodBlocks: 8, standInRoots: true })
  const text = [...writeFeed(simulation, 150)].join("")
  writeFileSync(feed, text)
  const url = await cluster.createDatabase()
  const dice = diceOf(seed)
  const model = await openModel(text, seed)
  // while what one has left is looked at, the next one reads the program
  let next = startChild([CHILD, url, feed, seed])
  while (total.points < points && !model.ended) {
    const ofServer = dice() < 0.5
    next.stdin!.write(String(model.made))
    const child = next
    const early = dice() < 0.1
    const acknowledged = await crash(cluster, child, { ofServer, early, acknowledgements: 1 + Math.floor(dice() ** 2 * 30), afterMs: dice() * 15, thenMs: dice() * 150 })
    next = startChild([CHILD, url, feed, seed])
    total.points++
    total.acknowledged += acknowledged
    if (ofServer) total.ofServer++
    await model.make(acknowledged)
    const names = namesOf(model.made + 8)
    await quiet(url)
    const found = await testimonyOf(url, simulation.genesis, names)
    const expected = async () => ordered(await Effect.runPromise(testimony(model.stores, names)))
    const atLeast = await expected()
    if (atLeast !== found) {
      if (await model.make(1) === 1) total.underWay++
      if (await expected() !== found) {
        throw new Error(`Seed ${seed}, crash ${total.points}: after ${acknowledged} more acknowledged writes the database holds what no prefix of the script makes, expected write ${model.made - 1} or ${model.made}`)
      }
    }
    watch(total)
  }
  kill(next)
}

interface Moment {
  readonly ofServer: boolean
  /** While it opens the stores, rather than after so many acknowledgements, which a slow machine takes longer for. */
  readonly early: boolean
  readonly acknowledgements: number
  readonly afterMs: number
  /** From the end of the server to that of the process. */
  readonly thenMs: number
}

const startChild = (words: ReadonlyArray<string>): ChildProcess => spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] })

/** Runs a child to its crash; how many writes it had acknowledged. */
async function crash(cluster: Cluster, child: ChildProcess, { acknowledgements, afterMs, early, ofServer, thenMs }: Moment): Promise<number> {
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  let said = ""
  await new Promise<void>((resolve) => {
    if (early) resolve()
    child.stdout!.on("data", (chunk: Buffer) => {
      said += String(chunk)
      if (countOf(said) >= acknowledgements) resolve()
    })
    child.once("close", () => resolve())
  })
  await sleep(afterMs)
  if (ofServer) {
    await cluster.kill()
    await cluster.restart()
    await sleep(thenMs)
  }
  kill(child)
  const [code, signal] = await ended
  const last = said.split("\n").at(-2)
  if (signal !== "SIGKILL" && code !== 3 && last !== "end") throw new Error(`The child ended by itself with ${code} after "${last}"`)
  return countOf(said)
}

const kill = (child: ChildProcess): void => void child.kill("SIGKILL")
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The server may finish what a dead client asked for: until it has noticed, nobody can tell what is there. */
async function quiet(url: string): Promise<void> {
  const others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
  while ((await execute(url, others)).length > 0) await sleep(10)
}

/** What another process reads. */
const testimonyOf = (url: string, genesis: GenesisFeed, names: ReturnType<typeof namesOf>): Promise<string> =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const services = yield* Layer.build(Layer.fresh(sqlStores({ url: Redacted.make(url), genesis, maxConnections: 6 })))
    return ordered(yield* testimony({ reader: Context.get(services, LedgerReader), store: Context.get(services, PoolStore) }, names))
  })).pipe(Effect.provide(Logger.layer([]))))

/** The order of an object's members is no part of an answer. */
const ordered = (text: string): string =>
  JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value)
