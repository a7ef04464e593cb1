import { randomBytes } from "node:crypto"
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
import { quantile } from "../../bench/_load.ts"
import { machine, memoryMB, today } from "../../bench/_servers.ts"
import { startCluster } from "../../postgres/cluster.ts"
import { command, serve, type State, untilLogged } from "../../program/_program.ts"
import { Reader, type ReaderStats } from "./_reader.ts"

/*
 * Runs the program for a long time over PostgreSQL: two processes behind one port, blocks with
 * rollbacks, readers that page through lists, wallets that post, and every few minutes kill -9 of
 * one of the processes:
 *
 *     node test/tools/soak/campaign.ts [--minutes 30] [--kill-minutes 4] [--readers 6] [--pace 0.5]
 *
 * Exits with 1 if a guarantee was broken. Needs Linux. RESULTS.md has the last result.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "kill-minutes": { type: "string", default: "4" },
    readers: { type: "string", default: "6" },
    pace: { type: "string", default: "0.5" }
  }
})
const minutes = Number(values.minutes)

await using cluster = await startCluster({ settings: { shared_buffers: "128MB" } })
const url = await cluster.createDatabase()
const words =
  `--simulate --workers 2 --admin-port off --no-request-log --pace ${values.pace} --seed soak`
const server = await serve("--database", url, ...words.split(" "))
const { pid, port } = server
await untilLogged(server, /Worker 2 of 2 \(process \d+\) is serving/u)

const endMs = Date.now() + minutes * 60_000
const readers = Array.from({ length: Number(values.readers) }, () => new Reader(port))
const writer = new Reader(port)
const clients = [...readers, writer]
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
const walk = async (reader: Reader, start: string) => {
  let path = start
  for (let page = 0; page < 10 && Date.now() < endMs; page++) {
    const answer = await reader.ask("GET", path)
    if (answer === null) return
    reader.noteVersion(answer.version)
    if (answer.status !== 200) {
      return reader.wrong(`GET ${path}: ${answer.status} ${answer.body.slice(0, 200)}`)
    }
    const { pendingItems = 0, ...rest } = JSON.parse(answer.body) as {
      readonly pendingItems?: number
    }
    const items = Object.values(rest).find(Array.isArray) as
      | ReadonlyArray<{ readonly itemId?: number }>
      | undefined
    const last = items?.at(-1)?.itemId
    if (pendingItems === 0 || last === undefined) return
    path = `${start}&fromItem=${start.includes("DESC") ? last - 1 : last + 1}`
    await sleep(5)
  }
}
const read = async (reader: Reader) => {
  while (Date.now() < endMs) {
    await walk(reader, starts[Math.floor(Math.random() * starts.length)]!)
  }
}

/* The wallets: each acknowledged authorization must be there until the end. */
const authorizationText = bodyWriter(
  later.bodies.authorization,
  wireContext(defaultNetwork, keccak256)
)
const acknowledged = new Set<string>()
const write = async () => {
  while (Date.now() < endMs) {
    const [owner, key] = [randomBytes(32), randomBytes(32)]
    const [address, publicKey] = [ethereumAddress(owner), derivePublicKey(key)]
    const signature = signAuthorization(owner, publicKey, defaultNetwork)
    const body = authorizationText({ address, publicKey, signature })
    const answer = await writer.ask("POST", "/account-creation-authorization", body)
    const path = `/account-creation-authorization/${defaultNetwork.prefix}:${address}`
    if (answer?.status === 200) {
      acknowledged.add(path)
      if ((await writer.ask("GET", path))?.status === 404) {
        writer.wrong(`${path} was acknowledged and is not there`)
      }
    } else if (answer !== null) {
      writer.wrong(`POST: ${answer.status} ${answer.body.slice(0, 200)}`)
    }
    await sleep(400)
  }
}

/** Returns the process of each worker that serves. */
const workers = () =>
  new Map(
    [...server.output().matchAll(/Worker (\d) of 2 \(process (\d+)\) is serving/gu)]
      .map(([, place, worker]) => [Number(place), Number(worker)])
  )
/** Returns the memory of the processes in megabytes, the supervisor first. */
const memoryOf = (): ReadonlyArray<number> =>
  [pid, ...workers().values()].map((each) => {
    try {
      return memoryMB(each)
    } catch {
      // it was killed, and the next one does not serve yet
      return 0
    }
  })
const sum = (of: (stats: ReaderStats) => number): number =>
  clients.reduce((total, { stats }) => total + of(stats), 0)

const memoryByMinute: Array<number> = []
let kills = 0
const watch = async () => {
  for (let minute = 1, before = 0; Date.now() < endMs; minute++) {
    await sleep(Math.min(60_000, endMs - Date.now()))
    const latencies = clients.flatMap(({ stats }) => stats.latencies.splice(0))
    const answered = sum((stats) => stats.answered)
    const memory = memoryOf()
    memoryByMinute.push(memory.reduce((a, b) => a + b))
    const state = await readers[0]!.ask("GET", "/state")
    const { network } = JSON.parse(state?.body ?? "{}") as Partial<State>
    console.log(
      `minute ${minute}: ${((answered - before) / 60).toFixed(0)} answers/s, refused ${
        sum((stats) => stats.refused)
      }, cut ${sum((stats) => stats.cut)}, p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${
        quantile(latencies, 0.99).toFixed(1)
      } ms, RSS ${memory.join(" + ")} MB, batch ${
        network?.lastBatch.batchNum ?? "?"
      }, ${acknowledged.size} acknowledged`
    )
    before = answered
    if (minute % Number(values["kill-minutes"]) === 0 && Date.now() < endMs - 30_000) {
      const killed = workers().get(1 + kills++ % 2)!
      console.log(`kill -9 of process ${killed}`)
      process.kill(killed, "SIGKILL")
    }
  }
}
await Promise.all([...readers.map(read), write(), watch()])

/*
 * At the end nothing acknowledged is missing, the program stops in order, and its store passes an
 * audit.
 */
for (const path of acknowledged) {
  const answer = await writer.ask("GET", path)
  if (answer?.status !== 200) {
    writer.wrong(`${path} was acknowledged and is not there at the end: ${answer?.status}`)
  }
}
for (const each of clients) each.close()
server.signal("SIGTERM")
const [code] = await server.ended
const wrong = clients.flatMap(({ stats }) => stats.wrong)
const unanswered = sum((stats) => stats.unanswered)
if (unanswered > kills) {
  wrong.push(
    `${unanswered} connections were not answered, expected at most one for each of ${kills} kills`
  )
}
if (code !== 0) wrong.push(`It ended with ${code} after SIGTERM, expected 0`)
const verified = command("verify", "--database", url)
if (verified.status !== 0) {
  wrong.push(`verify ended with ${verified.status}: ${verified.output.slice(-2000)}`)
}

// the first third fills the caches
const third = Math.max(1, Math.floor(memoryByMinute.length / 3))
const mean = (some: ReadonlyArray<number>) => some.reduce((a, b) => a + b, 0) / some.length
const growth = mean(memoryByMinute.slice(2 * third)) /
  mean(memoryByMinute.slice(third, 2 * third))
if (growth > 1.15) {
  wrong.push(
    `Memory of the last third ÷ of the second one: ${growth.toFixed(2)}, expected at most 1.15`
  )
}
console.log(`\n${today}, ${machine}`)
console.log(
  `${minutes} minutes, ${kills} kills, ${unanswered} connections unanswered, ${
    sum((stats) => stats.answered)
  } answers, ${acknowledged.size} authorizations acknowledged and there; memory last third ÷ second ${
    growth.toFixed(2)
  }`
)
console.log(`verify: ${verified.output.trim().split("\n").at(-1)}`)
for (const sentence of wrong) console.log(`WRONG  ${sentence}`)
console.log(wrong.length === 0 ? "Nothing was wrong" : `${wrong.length} things were wrong`)
process.exitCode = wrong.length === 0 ? 0 : 1
