import { type ChildProcess, fork, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { cpus } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { setTimeout as sleep } from "node:timers/promises"
import { prehistory, simulate } from "../../app/simulator/mod.ts"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import type { Kind, Load, Outcome } from "./_asking.ts"

/*
 * Four times as many requests as the real program can answer, for a minute: node test/overload/campaign.ts [--seconds 60]
 * [-- further words for serve]. What it finds is written down in RESULTS.md.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string", default: "60" }, times: { type: "string", default: "4" }, transactions: { type: "string", default: "20000" } }
})

const main = join(import.meta.dirname, "../../app/main.js")
const server = spawn(process.execPath, [
  main, "serve", "--port", "0", "--admin-port", "off", "--no-request-log", "--memory", "--feed", "-", ...positionals
], { stdio: ["pipe", "pipe", "inherit"] })
const clients = fork(join(import.meta.dirname, "_generator.ts"), { stdio: "inherit" })

const listening = (child: ChildProcess): Promise<number> => new Promise((resolve, reject) => {
  let said = ""
  child.stdout!.on("data", (text: Buffer) => {
    said += String(text)
    const port = /Listening on http:\/\/[^\s"]+:(\d+)/u.exec(said)?.[1]
    if (port !== undefined) resolve(Number(port))
  })
  child.once("exit", () => reject(new Error(`The server ended: ${said}`)))
})

const serving = listening(server)

/* The network is simulated here, so that the server does nothing but follow it and answer: a block every three seconds. */
const simulation = simulate({ seed: 1, standInRoots: true })
const tell = (record: FeedRecord): void => void server.stdin!.write(`${writeFeedLine(record)}\n`)
tell({ kind: "genesis", genesis: simulation.genesis })
const port = await serving
let lastBlock = 0n
for (const record of prehistory(simulation, Number(values.transactions))) {
  if (record.kind === "block") lastBlock = record.block.number
  tell(record)
}
while ((await fetch(`http://127.0.0.1:${port}/config`)).headers.get("ledger-ethereum-block") !== String(lastBlock)) await sleep(200)
const blocks = setInterval(() => tell(simulation.next()), 3000)

const drive = (load: Omit<Load, "port" | "kinds">): Promise<{ readonly [kind: string]: Outcome }> => new Promise((resolve) => {
  clients.once("message", (outcome: { readonly [kind: string]: Outcome }) => resolve(outcome))
  clients.send({ port, kinds, ...load } satisfies Load)
})

/** Pages that nobody asked for before, so that each one is computed, and among them a few that are kept ready. */
const lists = ["/accounts", "/transactions-history", "/batches", "/exits", "/tokens", "/slots"]
const computed = Array.from({ length: 60_000 }, (_, i) => `${lists[i % lists.length]!}?limit=${80 + i % 41}&fromItem=${i * 7 % 15_000}&order=${i % 2 === 0 ? "ASC" : "DESC"}`)
const kinds: ReadonlyArray<Kind> = [
  { name: "computed", paths: computed, percent: 90 },
  { name: "kept", paths: ["/tokens/0", "/config", "/tokens?limit=20"], percent: 10 }
]

const megabytes = (name: "VmRSS" | "VmHWM") => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`, "u").exec(readFileSync(`/proc/${server.pid!}/status`, "utf8"))![1]) / 1024)
/** Of both processes, in seconds; Linux counts in hundredths. */
const worked = () => [server, clients].map(({ pid }) => {
  const [user, system] = readFileSync(`/proc/${pid!}/stat`, "utf8").replace(/^.*\) /u, "").split(" ").slice(11, 13).map(Number)
  return (user! + system!) / 100
})
let since = { ms: performance.now(), worked: worked() }
const told = (name: string, outcomes: { readonly [kind: string]: Outcome }) => {
  for (const [kind, { accepted, failed, refused }] of Object.entries(outcomes)) {
    const row = (times: Outcome["accepted"]) => `${times.perSecond.toFixed(0).padStart(6)} /s  p50 ${times.p50.toFixed(1).padStart(6)} ms  p99 ${times.p99.toFixed(1).padStart(6)} ms  max ${times.max.toFixed(1).padStart(7)} ms`
    console.log(`${name.padEnd(10)} ${kind.padEnd(9)} accepted ${row(accepted)}   refused ${row(refused)}   failed ${failed}`)
  }
  const now = { ms: performance.now(), worked: worked() }
  const [ofServer, ofClients] = now.worked.map((seconds, i) => ((seconds - since.worked[i]!) * 1000 / (now.ms - since.ms)).toFixed(2))
  since = now
  console.log(`${"".padEnd(10)} cores: server ${ofServer}, clients ${ofClients}`)
  console.log(`${"".padEnd(10)} memory ${megabytes("VmRSS")} MB, ${megabytes("VmHWM")} MB at most`)
}

const seconds = Number(values.seconds)
await drive({ connections: 8, durationMs: 10_000 })
const whole = await drive({ connections: 8, durationMs: 10_000 })
told("capacity", whole)
const capacity = Object.values(whole).reduce((sum, { accepted }) => sum + accepted.perSecond, 0)
const normal = await drive({ connections: 2000, durationMs: 20_000, perSecond: capacity / 2 })
told("half", normal)
const over = await drive({ connections: 2000, durationMs: seconds * 1000, perSecond: capacity * Number(values.times) })
told(`${values.times} times`, over)
const after = await drive({ connections: 2000, durationMs: 20_000, perSecond: capacity / 2 })
told("half again", after)

const [before, during, later] = [normal, over, after].map(({ computed }) => computed!) as [Outcome, Outcome, Outcome]
const holds = {
  "p99 of what was accepted is at most twice the normal": during.accepted.p99 <= 2 * before.accepted.p99,
  "p99 of the refusals is below 50 ms": during.refused.p99 < 50,
  "nothing failed": [normal, over, after].every((outcomes) => Object.values(outcomes).every(({ failed }) => failed === 0)),
  "kept answers are given: none is refused": over.kept!.refused.count === 0,
  "it recovers: less than one in a thousand is refused afterwards": later.refused.count <= later.accepted.count / 1000
}
console.log(`\nCapacity ${capacity.toFixed(0)} /s, ${cpus().length} × ${cpus()[0]!.model}, Node ${process.versions.node}`)
for (const [claim, isTrue] of Object.entries(holds)) console.log(`${isTrue ? "yes" : "NO "}  ${claim}`)
clearInterval(blocks)
clients.disconnect()
server.kill("SIGTERM")
await new Promise((resolve) => server.once("exit", resolve))
process.exitCode = Object.values(holds).every(Boolean) ? 0 : 1
