import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import {
  derivePublicKey,
  ethereumAddress,
  signAuthorization
} from "../../../adapters/crypto/mod.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { defaultNetwork } from "../../../app/simulator/mod.ts"
import { bodyWriter, later, wireContext } from "../../../core/mod.ts"
import { startCluster } from "../../postgres/cluster.ts"
import { Reader, type ReaderStats } from "./_reader.ts"

/*
 * Runs the program for a long time over PostgreSQL: two processes behind one port, blocks with
 * rollbacks, readers that page through lists, wallets that post, and every few minutes kill -9 of
 * one of the processes:
 *
 *     node test/tools/soak/campaign.ts [--minutes 30] [--kill-minutes 4] [--readers 6] [--pace 0.5]
 *
 * Exits with 1 if a guarantee was broken. RESULTS.md has the last result.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "kill-minutes": { type: "string", default: "4" },
    readers: { type: "string", default: "6" },
    pace: { type: "string", default: "0.5" }
  }
})
const [minutes, killMinutes, readerCount] = [values.minutes, values["kill-minutes"], values.readers]
  .map(Number) as [number, number, number]
const main = join(import.meta.dirname, "../../../app/main.js")

const cluster = await startCluster({ settings: { shared_buffers: "128MB" } })
const url = await cluster.createDatabase()
const words = [
  "serve",
  "--database",
  url,
  "--simulate",
  "--workers",
  "2",
  "--port",
  "0",
  "--admin-port",
  "off",
  "--no-request-log",
  "--pace",
  values.pace,
  "--seed",
  "soak"
]
const server = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "pipe", "pipe"] })
let output = ""
for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => output += text)
const ended = new Promise<number | null>((resolve) => server.once("exit", resolve))
const findOutput = (pattern: RegExp) => output.match(pattern)
while (findOutput(/Worker 2 of 2 \(process \d+\) is serving/u) === null) {
  if (server.exitCode !== null) throw new Error(`The server ended: ${output}`)
  await sleep(100)
}
const port = Number(findOutput(/Listening on http:\/\/\S+?:(\d+)/u)![1])

const endMs = Date.now() + minutes * 60_000
const readers = Array.from({ length: readerCount }, () => new Reader(port))
const starts = [
  "/transactions-history?limit=50",
  "/accounts?limit=50",
  "/batches?limit=20&order=DESC",
  "/exits?limit=50",
  "/slots?limit=20",
  "/bids?slotNum=2&limit=50",
  "/state",
  "/tokens"
]

/**
 * Reads a list from its start, page by page; if items are pending, the next page must not be empty.
 */
const walk = async (reader: Reader, start: string, pagesMax: number) => {
  let path: string | null = start
  for (let page = 0; page < pagesMax && path !== null && Date.now() < endMs; page++) {
    const answer = await reader.ask("GET", path)
    if (answer === null) return
    reader.noteVersion(answer.version)
    if (answer.status !== 200) {
      return void reader.stats.wrong.push(
        `GET ${path}: ${answer.status} ${answer.body.slice(0, 200)}`
      )
    }
    const { pendingItems, ...rest } = JSON.parse(answer.body) as { readonly pendingItems?: number }
    const items = Object.values(rest).find(Array.isArray) as
      | ReadonlyArray<{ readonly itemId: number }>
      | undefined
    if (
      pendingItems === undefined || items === undefined || pendingItems === 0 || items.length === 0
    ) return
    const last: number = items.at(-1)!.itemId
    if (typeof last !== "number") return
    path = `${start}&fromItem=${start.includes("DESC") ? last - 1 : last + 1}`
    await sleep(5)
  }
}
const read = async (reader: Reader) => {
  while (Date.now() < endMs) {
    await walk(reader, starts[Math.floor(Math.random() * starts.length)]!, 10)
  }
}

/* The wallets: each acknowledged authorization must be there until the end. */
const authorizationText = bodyWriter(
  later.bodies.authorization,
  wireContext(defaultNetwork, keccak256)
)
const acknowledged = new Set<string>()
const write = async (reader: Reader) => {
  while (Date.now() < endMs) {
    const [owner, key] = [randomBytes(32), randomBytes(32)]
    const [address, publicKey] = [ethereumAddress(owner), derivePublicKey(key)]
    const body = authorizationText({
      address,
      publicKey,
      signature: signAuthorization(owner, publicKey, defaultNetwork)
    })
    const answer = await reader.ask("POST", "/account-creation-authorization", body)
    const path = `/account-creation-authorization/${defaultNetwork.prefix}:${address}`
    if (answer?.status === 200) acknowledged.add(path)
    else if (answer !== null) {
      reader.stats.wrong.push(`POST: ${answer.status} ${answer.body.slice(0, 200)}`)
    }
    if (answer?.status === 200 && (await reader.ask("GET", path))?.status === 404) {
      reader.stats.wrong.push(`${path} was acknowledged and is not there`)
    }
    await sleep(400)
  }
}

/** Returns the memory of the processes in kilobytes, the supervisor first. */
const memoryOf = (): ReadonlyArray<number> => {
  const parents = new Map(
    readdirSync("/proc").filter((name) => /^\d+$/u.test(name)).map((pid) => {
      try {
        return [
          Number(pid),
          Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ")[1])
        ] as const
      } catch {
        return [Number(pid), 0] as const
      }
    })
  )
  return [
    server.pid!,
    ...[...parents].filter(([, parent]) => parent === server.pid).map(([pid]) => pid)
  ].map((pid) => {
    try {
      return Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
}

interface Minute {
  readonly memoryKb: number
  readonly p99: number
}
const past: Array<Minute> = []
let kills = 0
const watch = async () => {
  console.log(
    "minute  answers/s  refused  cut  p50 ms  p99 ms  RSS MB (supervisor, processes)  ledger version  acknowledged"
  )
  for (let minute = 1, before = 0; Date.now() < endMs; minute++) {
    await sleep(Math.min(60_000, endMs - Date.now()))
    const all = clients.map(({ stats }) => stats)
    const latencies = all.flatMap((stats) => stats.latencies).toSorted((a, b) => a - b)
    for (const stats of all) stats.latencies = []
    const total = sum(all, ({ answered }) => answered)
    const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? NaN
    const memory = memoryOf()
    past.push({ memoryKb: memory.reduce((a, b) => a + b, 0), p99: at(0.99) })
    const version = JSON.parse((await readers[0]!.ask("GET", "/state"))?.body ?? "{}") as {
      readonly network?: { readonly lastBatch?: { readonly batchNum: number } }
    }
    console.log([
      String(minute).padStart(6),
      ((total - before) / 60).toFixed(0).padStart(10),
      String(sum(all, ({ refused }) => refused)).padStart(8),
      String(sum(all, ({ cut }) => cut)).padStart(4),
      at(0.5).toFixed(1).padStart(7),
      at(0.99).toFixed(1).padStart(7),
      `  ${memory.map((kb) => (kb / 1024).toFixed(0)).join(" + ")}`.padEnd(33),
      `batch ${version.network?.lastBatch?.batchNum ?? "?"}`.padEnd(14),
      String(acknowledged.size)
    ].join(" "))
    before = total
    if (minute % killMinutes === 0 && Date.now() < endMs - 30_000) kill()
  }
}
const sum = (all: ReadonlyArray<ReaderStats>, of: (stats: ReaderStats) => number): number =>
  all.reduce((total, stats) => total + of(stats), 0)
const kill = () => {
  const pids = [...output.matchAll(/Worker (\d) of 2 \(process (\d+)\) is serving/gu)].reduce(
    (by, [, place, pid]) => by.set(Number(place), Number(pid)),
    new Map<number, number>()
  )
  const pid = pids.get(1 + kills % 2)!
  console.log(`        kill -9 of process ${pid}`)
  process.kill(pid, "SIGKILL")
  kills++
}

const writer = new Reader(port)
const clients = [...readers, writer]
await Promise.all([...readers.map(read), write(writer), watch()])

/*
 * At the end nothing acknowledged is missing, the program stops in order, and its store passes an
 * audit.
 */
const wrong = clients.flatMap(({ stats }) => stats.wrong)
for (const path of acknowledged) {
  const answer = await writer.ask("GET", path)
  if (answer?.status !== 200) {
    wrong.push(`${path} was acknowledged and is not there at the end: ${answer?.status}`)
  }
}
for (const each of clients) each.close()
server.kill("SIGTERM")
const code = await ended
const unanswered = sum(clients.map(({ stats }) => stats), (stats) => stats.unanswered)
if (unanswered > kills) {
  wrong.push(
    `${unanswered} connections were not answered, expected at most one for each of ${kills} kills`
  )
}
if (code !== 0) wrong.push(`It ended with ${code} after SIGTERM, expected 0`)
const verified = spawnSync(process.execPath, [main, "verify", "--database", url], {
  encoding: "utf8",
  maxBuffer: 2 ** 26
})
if (verified.status !== 0) {
  wrong.push(
    `verify ended with ${verified.status}: ${(verified.stdout + verified.stderr).slice(-2000)}`
  )
}
await cluster.remove()

// the first third fills the caches
const third = Math.max(1, Math.floor(past.length / 3))
const mean = (some: ReadonlyArray<Minute>, of: (minute: Minute) => number) =>
  some.reduce((total, minute) => total + of(minute), 0) / some.length
const [second, last] = [past.slice(third, 2 * third), past.slice(2 * third)]
const growth = second.length === 0 || last.length === 0
  ? NaN
  : mean(last, ({ memoryKb }) => memoryKb) / mean(second, ({ memoryKb }) => memoryKb)
if (growth > 1.15) {
  wrong.push(
    `Memory of the last third ÷ of the second one: ${growth.toFixed(2)}, expected at most 1.15`
  )
}
console.log(
  `\n${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} × ${
    cpus()[0]?.model
  }`
)
console.log(
  `${minutes} minutes, ${kills} kills, ${unanswered} connections unanswered, ${
    sum(clients.map(({ stats }) => stats), ({ answered }) => answered)
  } answers, ${acknowledged.size} authorizations acknowledged and there; memory last third ÷ second ${
    growth.toFixed(2)
  }`
)
console.log(`verify: ${verified.stdout.trim().split("\n").at(-1)}`)
for (const sentence of wrong) console.log(`WRONG  ${sentence}`)
console.log(wrong.length === 0 ? "Nothing was wrong" : `${wrong.length} things were wrong`)
process.exitCode = wrong.length === 0 ? 0 : 1
