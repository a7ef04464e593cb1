import { type ChildProcess, fork, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { cpus, setPriority } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { setTimeout as sleep } from "node:timers/promises"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { type FeedRecord, writeFeedLine } from "../../../core/domain/mod.ts"
import type { Load, LoadResult, Timings } from "./_load.ts"
import { type Waits, watchProcessors } from "./_processors.ts"
import { quantile, describePhase, undisturbed } from "./_report.ts"

/*
 * Sends four times as many requests as the program can answer, for a minute: node
 * test/tools/overload/campaign.ts [--seconds 60] [--aside 20, of the phases beside it] [-- further
 * arguments of serve]. RESULTS.md has the results.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    aside: { type: "string", default: "20" },
    times: { type: "string", default: "4" },
    transactions: { type: "string", default: "20000" }
  }
})

const main = join(import.meta.dirname, "../../../app/main.js")
const server = spawn(process.execPath, [
  main,
  "serve",
  "--port",
  "0",
  "--admin-port",
  "off",
  "--no-request-log",
  "--memory",
  "--feed",
  "-",
  ...positionals
], { stdio: ["pipe", "pipe", "inherit"] })
const clients = fork(join(import.meta.dirname, "_generator.ts"), {
  stdio: "inherit",
  serialization: "advanced"
})
// clients on another machine would not compete with the server for processors; if priorities are
// not allowed, the lateness of requests shows it
try {
  setPriority(clients.pid!, -10)
  setPriority(10)
} catch {}

const listening = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let output = ""
    child.stdout!.on("data", (text: Buffer) => {
      output += String(text)
      const port = /Listening on http:\/\/[^\s"]+:(\d+)/u.exec(output)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once("exit", () => reject(new Error(`The server ended: ${output}`)))
  })

const serving = listening(server)

/*
 * The network is simulated here, so that the server only follows it and answers: a block every
 * three seconds.
 */
const simulation = simulate({ seed: 1, placeholderRoots: true })
const feed = (record: FeedRecord): void => void server.stdin!.write(`${writeFeedLine(record)}\n`)
feed({ kind: "genesis", genesis: simulation.genesis })
const port = await serving
let lastBlock = 0n
for (const record of initialHistory(simulation, Number(values.transactions))) {
  if (record.kind === "block") lastBlock = record.block.number
  feed(record)
}
while (
  (await fetch(`http://127.0.0.1:${port}/config`)).headers.get("ledger-ethereum-block") !==
    String(lastBlock)
) await sleep(200)

const [seconds, aside] = [Number(values.seconds), Number(values.aside)]
// made beforehand, so that only the clients compete for processors
const coming = Array.from(
  { length: Math.ceil((seconds + 3 * aside) / 3) + 10 },
  () => simulation.next()
)
const blocks = setInterval(() => {
  const record = coming.shift()
  if (record !== undefined) feed(record)
}, 3000)

const drive = (load: Omit<Load, "port">): Promise<LoadResult> =>
  new Promise((resolve) => {
    clients.once("message", (seen: LoadResult) => resolve(seen))
    clients.send({ port, ...load } satisfies Load)
  })

/** The clock that all processes of the machine share; the clients use it too. */
const clockMs = () => Number(process.hrtime.bigint()) / 1e6

const megabytes = (name: "VmRSS" | "VmHWM") =>
  Math.round(
    Number(
      new RegExp(`${name}:\\s+(\\d+)`, "u").exec(
        readFileSync(`/proc/${server.pid!}/status`, "utf8")
      )![1]
    ) / 1024
  )
/** Processor time of both processes, in seconds, with the resolution of Linux (10 ms). */
const worked = () =>
  [server, clients].map(({ pid }) => {
    const [user, system] = readFileSync(`/proc/${pid!}/stat`, "utf8").replace(/^.*\) /u, "").split(
      " "
    ).slice(11, 13).map(Number)
    return (user! + system!) / 100
  })
let since = { ms: performance.now(), worked: worked() }
const processors = watchProcessors([server.pid!, clients.pid!])
/** Runs the clients, and prints their results. */
const phase = async (name: string, load: Omit<Load, "port">) => {
  processors.waits()
  const seen = await drive(load)
  const waits = processors.waits() as [Waits, Waits]
  console.log(describePhase(name, seen, waits))
  const now = { ms: performance.now(), worked: worked() }
  const [ofServer, ofClients] = now.worked.map((seconds, i) =>
    ((seconds - since.worked[i]!) * 1000 / (now.ms - since.ms)).toFixed(2)
  )
  since = now
  console.log(
    `${"".padEnd(11)} cores: server ${ofServer}, clients ${ofClients}; memory ${
      megabytes("VmRSS")
    } MB, ${megabytes("VmHWM")} MB at most`
  )
  return { seen, waits, ...seen.kinds.computed!, cached: seen.kinds.cached! }
}

await drive({ connections: 8, durationMs: aside * 500 })
const whole = await phase("capacity", { connections: 8, durationMs: aside * 500 })
const capacity =
  Object.values(whole.seen.kinds).reduce((sum, { accepted }) => sum + accepted.tookMs.length, 0) /
  whole.seen.seconds
const before = await phase("half", {
  connections: 2000,
  durationMs: aside * 1000,
  perSecond: capacity / 2
})
const memoryBefore = megabytes("VmHWM")
const during = await phase(`${values.times} times`, {
  connections: 2000,
  durationMs: seconds * 1000,
  perSecond: capacity * Number(values.times)
})
const endedMs = clockMs()
const later = await phase("half again", {
  connections: 2000,
  durationMs: aside * 1000,
  perSecond: capacity / 2
})
processors.stop()

// without disturbances of the machine, which are printed above
const p99 = ({ waits }: typeof before, timings: Timings) =>
  quantile(undisturbed(timings, waits), 0.99)
const shareOf = ({ waits }: typeof before, timings: Timings) =>
  undisturbed(timings, waits).length / timings.tookMs.length
const holds = {
  "p99 of accepted requests is at most 3 times the normal":
    p99(during, during.accepted) <= 3 * p99(before, before.accepted),
  "p99 of all refusals is below 250 ms, with disturbances or without":
    quantile(during.refused.tookMs, 0.99) < 250,
  "the machine disturbed only a small part of it": [
    shareOf(before, before.accepted),
    shareOf(during, during.accepted),
    shareOf(during, during.refused)
  ].every((share) => share > 0.5),
  "the only failures are 503 with Retry-After": [before, during, later].every(({ seen }) =>
    Object.values(seen.kinds).every(({ failed }) => failed === 0)
  ),
  "cached answers are sent: none is refused": during.cached.refused.tookMs.length === 0,
  "memory is bounded: at most 512 MB more than before": megabytes("VmHWM") <= memoryBefore + 512,
  "nothing is refused 2 s after it ends": later.refused.sentMs.every((sentMs) =>
    sentMs < endedMs + 2000
  )
}
console.log(
  `\nCapacity ${capacity.toFixed(0)} /s, ${cpus().length} × ${
    cpus()[0]!.model
  }, Node ${process.versions.node}`
)
for (const [claim, isTrue] of Object.entries(holds)) {
  console.log(`${isTrue ? "yes" : "NO "}  ${claim}`)
}
clearInterval(blocks)
clients.disconnect()
server.kill("SIGTERM")
await new Promise((resolve) => server.once("exit", resolve))
process.exitCode = Object.values(holds).every(Boolean) ? 0 : 1
