import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { noteFigure } from "./_figures.ts"
import { median } from "./_load.ts"
import { canLimit, limit } from "./_quota.ts"

/** What is asked for: no flags stand for a server as it starts, with its answers kept ready. */
const kinds = {
  "one token, kept": { path: "/tokens/0", flags: [] },
  "20 transactions, kept": { path: "/transactions-history?limit=20", flags: [] },
  "20 transactions, computed each time": { path: "/transactions-history?limit=20", flags: ["--answers-bytes-max", "0"] },
  "100 transactions, computed each time": { path: "/transactions-history?limit=100", flags: ["--answers-bytes-max", "0"] }
} as const

interface Group {
  readonly port: number
  /** Of the processes that answer. */
  readonly pids: ReadonlyArray<number>
  readonly stop: () => Promise<void>
}

interface Rounds {
  readonly rounds: number
  readonly durationMs: number
}

interface Pair {
  readonly names: { readonly one: string; readonly two: string }
  readonly one: Group
  readonly two: Group
}

/**
 * Two workers and one by turns in each round, the same program and flags; the ratio of each round counts. Then what the log of requests takes.
 *
 * The client has a core for itself: where there are no more cores than two workers need, and Linux allows it, each process that answers may
 * use half a core, so that two have twice as much as one and the client does not take it from them.
 */
export const benchWorkers = async (options: Rounds): Promise<void> => {
  console.log(`  ${isLimited ? `each process that answers has ${limitedShare} of a core` : canPin ? "the client has a core for itself" : "servers and client share all cores"}`)
  for (const flags of [[], ["--answers-bytes-max", "0"]]) {
    const pair = { names: { one: "one", two: "two" }, one: await startGroup(1, flags), two: await startGroup(2, flags) }
    await comparing(pair, async () => {
      for (const [name, kind] of Object.entries(kinds)) if (kind.flags.join() === flags.join()) noteFigure("workers", `${name} ${await compare(name, kind.path, pair, options)}`)
    })
  }
  const logs = { names: { one: "without", two: "with" }, one: await startGroup(1, ["--no-request-log"]), two: await startGroup(1, ["--request-log"]) }
  await comparing(logs, async () => {
    for (const name of ["one token, kept", "20 transactions, kept"] as const) await compare(`${name}, with a log ÷ without`, kinds[name].path, logs, options)
  })
}

const comparing = async ({ one, two }: Pair, work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
}

/** The median of the ratios, and their spread. */
const compare = async (name: string, path: string, { names, one, two }: Pair, { durationMs, rounds }: Rounds): Promise<string> => {
  const figures = { one: [] as Array<Figure>, two: [] as Array<Figure> }
  for (let round = -1; round < rounds; round++) {
    const measure = (group: Group) => load(group, path, round < 0 ? warmingMs : durationMs)
    // which one goes first changes from round to round, so that a drift of the machine favours neither
    const [a, b] = round % 2 === 0 ? [await measure(one), await measure(two)] : [await measure(two), await measure(one)]
    if (round < 0) continue
    figures.one.push(round % 2 === 0 ? a : b)
    figures.two.push(round % 2 === 0 ? b : a)
  }
  const { median: ratio, spread } = median(figures.two.map((figure, i) => figure.rate / figures.one[i]!.rate))
  const told = (some: ReadonlyArray<Figure>) =>
    `${Math.round(median(some.map(({ rate }) => rate)).median)}/s with ${share(some, "servers")} + ${share(some, "client")} cores`
  const figure = `${ratio.toFixed(2)} ± ${spread.toFixed(2)}`
  console.log(`  ${name.padEnd(40)} ${figure}   (${names.two}: ${told(figures.two)}; ${names.one}: ${told(figures.one)})`)
  return figure
}

/** Each process compiles what it runs often for itself: until then two need twice as much of the cores for an answer. */
const warmingMs = 5000

const share = (figures: ReadonlyArray<Figure>, of: "servers" | "client"): string => median(figures.map((figure) => figure[of])).median.toFixed(2)

interface Figure {
  /** Answers a second. */
  readonly rate: number
  /** Cores that the servers and the client used. */
  readonly servers: number
  readonly client: number
}

const load = async ({ pids, port }: Group, path: string, durationMs: number): Promise<Figure> => {
  const before = cpuSeconds(pids)
  const { answers, cpuSeconds: client, seconds } = await lastLine(spawnOn(clientCores, "./_worker_load.ts", [String(port), "32", String(durationMs), path])) as {
    readonly answers: number; readonly seconds: number; readonly cpuSeconds: number
  }
  return { rate: answers / seconds, servers: (cpuSeconds(pids) - before) / seconds, client: client / seconds }
}

/** The client has the last core for itself where there are more than the servers need. */
const cores = availableParallelism()
const canPin = existsSync("/usr/bin/taskset") && cores > 2
/** Half of the core that is left for each of two; the client of one that answers from memory takes 0.6 of the other. */
const isLimited = !canPin && canLimit
const limitedShare = 0.5
const serverCores = canPin ? `0-${cores - 2}` : undefined
const clientCores = canPin ? String(cores - 1) : undefined

const spawnOn = (pinned: string | undefined, script: string, args: ReadonlyArray<string>): ChildProcess => {
  const [command, ...words] = [...pinned === undefined ? [] : ["taskset", "-c", pinned], process.execPath, new URL(script, import.meta.url).pathname, ...args]
  return spawn(command!, words, { stdio: ["ignore", "pipe", "inherit"] })
}

const lastLine = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stdout!.on("data", (text) => said += text)
    child.once("close", (code) => code === 0 ? resolve(JSON.parse(said)) : reject(new Error(`The client ended with ${code}`)))
  })

/** The program as its user starts it, standing still. */
const startGroup = async (workers: number, flags: ReadonlyArray<string>): Promise<Group> => {
  const child = spawnOn(serverCores, "../../app/main.js", ["serve", "--memory", "--pace", "0", "--port", "0", "--workers", String(workers), ...flags])
  // also where the benchmark fails
  process.once("exit", () => child.kill("SIGTERM"))
  const port = await new Promise<number>((resolve, reject) => {
    let said = ""
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${said}`)))
    child.stdout!.on("data", (text) => {
      said += text
      const port = /Listening on http:\/\/\S+:(\d+)/u.exec(said)?.[1]
      if (port === undefined || (workers > 1 && said.match(/\) serves/gu)?.length !== workers)) return
      // a line for each request comes from here on: to look at them would take more than the server does
      child.stdout!.removeAllListeners("data").resume()
      resolve(Number(port))
    })
  })
  const pids = workers === 1 ? [child.pid!] : childrenOf(child.pid!)
  const limits = isLimited ? pids.map((pid) => limit(pid, limitedShare)) : []
  return {
    port, pids,
    stop: async () => {
      child.removeAllListeners("exit")
      child.kill("SIGTERM")
      await once(child, "exit")
      for (const end of limits) end()
    }
  }
}

/* Linux tells; elsewhere the use of the cores is not shown. */

const childrenOf = (pid: number): ReadonlyArray<number> => {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").map(Number) : []
}

/** Ticks are hundredths of a second. */
const cpuSeconds = (pids: ReadonlyArray<number>): number =>
  pids.reduce((sum, pid) => {
    if (!existsSync(`/proc/${pid}/stat`)) return sum
    const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13).map(Number)
    return sum + (user + system) / 100
  }, 0)
