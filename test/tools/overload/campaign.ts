import { fork } from "node:child_process"
import { once } from "node:events"
import { setPriority } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { setTimeout as sleep } from "node:timers/promises"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { type FeedRecord, writeFeedLine } from "../../../core/domain/mod.ts"
import { quantile } from "../../bench/_load.ts"
import { cpuMs, machine, memoryMB } from "../../bench/_servers.ts"
import { listening, start } from "../../program/_program.ts"
import type { Load, LoadResult, Timings } from "./_generator.ts"
import { clockMs, type Waits, watchProcessors } from "./_processors.ts"
import { printPhase, undisturbed } from "./_report.ts"

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
    transactions: { type: "string", default: "20000" }
  }
})

const words = "serve --port 0 --admin-port off --no-request-log --memory --feed -"
const server = start([...words.split(" "), ...positionals], { hasInput: true })
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

/*
 * The network is simulated here, so that the server only follows it and answers: a block every
 * three seconds.
 */
const simulation = simulate({ seed: 1, placeholderRoots: true })
const feed = (record: FeedRecord) => server.child.stdin!.write(`${writeFeedLine(record)}\n`)
feed({ kind: "genesis", genesis: simulation.genesis })
const { pid, port, url } = await listening(server)
let lastBlock = 0n
for (const record of initialHistory(simulation, Number(values.transactions))) {
  if (record.kind === "block") lastBlock = record.block.number
  feed(record)
}
const ledgerBlock = async () => (await fetch(`${url}/config`)).headers.get("ledger-ethereum-block")
while (await ledgerBlock() !== String(lastBlock)) await sleep(200)

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

const drive = async (load: Omit<Load, "port">): Promise<LoadResult> => {
  clients.send({ port, ...load } satisfies Load)
  return (await once(clients, "message"))[0] as LoadResult
}
const pids = [pid, clients.pid!]
const processors = watchProcessors(pids)
/** Runs the clients, and prints their results. */
const phase = async (name: string, load: Omit<Load, "port">) => {
  processors.waits()
  const before = { ms: performance.now(), worked: pids.map(cpuMs) }
  const seen = await drive(load)
  const waits = processors.waits() as [Waits, Waits]
  printPhase(name, seen, waits)
  const tookMs = performance.now() - before.ms
  const [ofServer, ofClients] = pids.map((pid, i) =>
    ((cpuMs(pid) - before.worked[i]!) / tookMs).toFixed(2)
  )
  console.log(
    `cores: server ${ofServer}, clients ${ofClients}; memory ${memoryMB(pid)} MB, ${
      memoryMB(pid, "VmHWM")
    } MB at most`
  )
  return { seen, waits, ...seen.kinds.computed, cached: seen.kinds.cached }
}
type Phase = Awaited<ReturnType<typeof phase>>

const [some, many] = [{ connections: 8, durationMs: aside * 500 }, { connections: 2000 }]
await drive(some)
const whole = await phase("capacity", some)
const capacity =
  Object.values(whole.seen.kinds).reduce((sum, { accepted }) => sum + accepted.tookMs.length, 0) /
  whole.seen.seconds
const half = { ...many, durationMs: aside * 1000, perSecond: capacity / 2 }
const before = await phase("half", half)
const memoryBefore = memoryMB(pid, "VmHWM")
const during = await phase("four times", {
  ...many,
  durationMs: seconds * 1000,
  perSecond: capacity * 4
})
const endedMs = clockMs()
const later = await phase("half again", half)
processors.stop()

// without disturbances of the machine, which are printed above
const p99 = ({ accepted, waits }: Phase) => quantile(undisturbed(accepted, waits), 0.99)
const shareOf = ({ waits }: Phase, timings: Timings) =>
  undisturbed(timings, waits).length / timings.tookMs.length
const holds = {
  "p99 of accepted requests is at most 3 times the normal": p99(during) <= 3 * p99(before),
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
  "memory is bounded: at most 512 MB more than before":
    memoryMB(pid, "VmHWM") <= memoryBefore + 512,
  "nothing is refused 2 s after it ends": later.refused.sentMs.every((sentMs) =>
    sentMs < endedMs + 2000
  )
}
console.log(`\nCapacity ${capacity.toFixed(0)} /s, ${machine}`)
for (const [claim, isTrue] of Object.entries(holds)) {
  console.log(`${isTrue ? "yes" : "NO "}  ${claim}`)
}
clearInterval(blocks)
clients.disconnect()
server.signal("SIGTERM")
await server.ended
process.exitCode = Object.values(holds).every(Boolean) ? 0 : 1
