import { createHistogram } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { kinds } from "../../tools/overload/_kinds.ts"
import { type Answered, Connection, getRequest, postRequest } from "../_connection.ts"
import type { ClosedLoop, ClosedLoopResult, Paced, PacedResult } from "./_clients.ts"

/*
 * Clients in their own process, which does nothing else. Each message from the parent describes
 * the load, and is answered with its result.
 */

/** Bodies that have not been accepted yet, across runs. */
const bodies: Array<string> = []
/** A page that was requested is not requested again. */
let pages = 0

/** Returns a function that returns the next request. */
const requestsOf = (asked: ClosedLoop["requests"]): () => Buffer => {
  if (asked === "new pages") return () => getRequest(kinds[0]!.path(pages++))
  if (asked === "posts") {
    return () => {
      const body = bodies.pop()
      if (body === undefined) throw new Error("No transaction is left: sign more of them")
      return postRequest("/transactions-pool", body)
    }
  }
  const requests = asked.map((path) => getRequest(path))
  let sent = 0
  return () => requests[sent++ % requests.length]!
}

/** The clients ignore `Retry-After`: after a 503 they send the same request again at once. */
const closedLoop = async (
  { connections, durationMs, port, requests, settleMs }: ClosedLoop
): Promise<ClosedLoopResult> => {
  const next = requestsOf(requests)
  let [served, refused, isOver] = [0, 0, false]
  const opened = Array.from({ length: connections }, () => {
    const connection = new Connection(port)
    let request = next()
    const answered: Answered = (answer) => {
      if (isOver) return
      if (answer?.status === 503) refused++
      else if (answer?.status === 200) {
        served++
        request = next()
      } else throw new Error(`Expected 200 or 503, got ${answer?.head ?? "no answer"}`)
      connection.ask(request, answered)
    }
    connection.ask(request, answered)
    return connection
  })
  await sleep(settleMs)
  const [before, startedMs] = [{ served, refused }, performance.now()]
  await sleep(durationMs)
  const seconds = (performance.now() - startedMs) / 1000
  isOver = true
  for (const connection of opened) connection.close()
  return {
    servedPerSecond: (served - before.served) / seconds,
    refusedPerSecond: (refused - before.refused) / seconds,
    bodiesLeft: bodies.length
  }
}

const patienceMs = 10_000

/**
 * Sends prepared requests when they are due, as long as a connection is free. It never sleeps, and
 * does not use real-time priority, because the kernel stops such a process for a twentieth of each
 * second.
 */
const paced = async (
  { connections, durationMs, paths, port, ratePerSecond }: Paced
): Promise<PacedResult> => {
  const next = requestsOf(paths)
  const [latencies, lateness] = [createHistogram(), createHistogram()]
  const free: Array<Connection> = []
  await Promise.all(
    Array.from(
      { length: connections },
      () => new Promise<void>((resolve) => void free.push(new Connection(port, resolve)))
    )
  )
  const startedMs = performance.now()
  const endMs = startedMs + durationMs
  let [sent, answers, lastMs, freeSinceMs] = [0, 0, startedMs, startedMs]
  const send = (nowMs: number) => {
    while (free.length > 0) {
      const dueMs = startedMs + sent * 1000 / ratePerSecond
      if (dueMs > nowMs || dueMs >= endMs) return
      sent++
      const connection = free.pop()!
      // if all connections were waiting, the server is late, not the client
      record(lateness, nowMs - Math.max(dueMs, freeSinceMs))
      connection.ask(next(), (answer) => {
        if (answer?.status !== 200) throw new Error(`Expected 200: ${answer?.head ?? "no answer"}`)
        answers++
        lastMs = performance.now()
        record(latencies, lastMs - dueMs)
        if (free.length === 0) freeSinceMs = lastMs
        free.push(connection)
        send(lastMs)
      })
    }
  }
  for (let nowMs = startedMs; nowMs < endMs || free.length < connections;) {
    if (nowMs > endMs + patienceMs) {
      throw new Error(`${connections - free.length} requests are not answered`)
    }
    send(nowMs)
    await new Promise(setImmediate)
    nowMs = performance.now()
  }
  for (const connection of free) connection.close()
  const perSecond = answers / (lastMs - startedMs) * 1000
  return { perSecond, latencyMs: quantiles(latencies), latenessMs: quantiles(lateness) }
}

type Histogram = ReturnType<typeof createHistogram>
const record = (histogram: Histogram, ms: number) =>
  histogram.record(Math.max(1, Math.round(ms * 1e6)))
const quantiles = (histogram: Histogram) => ({
  p50: histogram.percentile(50) / 1e6,
  p99: histogram.percentile(99) / 1e6
})

process.on("message", async (message: ClosedLoop | Paced | { readonly bodies: Array<string> }) => {
  if ("bodies" in message) return void bodies.push(...message.bodies)
  process.send!(await ("ratePerSecond" in message ? paced(message) : closedLoop(message)))
})
process.on("disconnect", () => process.exit())
