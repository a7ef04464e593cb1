import { type Answer, Connection, getRequest } from "../../bench/_connection.ts"
import { type Kind, kinds } from "./_kinds.ts"
import { clockMs } from "./_processors.ts"

/* The clients, in their own process, so that they are not timed together with the server. */

export interface Load {
  readonly port: number
  readonly durationMs: number
  /**
   * Requests per second, which are sent whether or not earlier ones were answered; without it, each
   * connection sends one request after the other.
   */
  readonly perSecond?: number
  readonly connections: number
}

/** When requests were sent, by the clock of the machine, and the time of each until its answer. */
export interface Timings {
  readonly sentMs: Array<number>
  readonly tookMs: Array<number>
}

interface Seen {
  readonly accepted: Timings
  readonly refused: Timings
  failed: number
}

export interface LoadResult {
  readonly seconds: number
  readonly kinds: { readonly [kind in Kind["name"]]: Seen }
  /** How late each request was sent: the clients were busy, or had no processor. */
  readonly lateMs: Array<number>
  /** How long each new connection took until the clients noticed it. */
  readonly connectedMs: Array<number>
}

interface Request {
  readonly kind: Kind
  /**
   * When the clients started it; on a new connection, when that was established. A request that
   * waits for a free connection waits for the server.
   */
  begunMs: number
}

/** Open connections are reused by the next load, as clients do. */
const free: Array<Connection> = []
let opened = 0
/** A path requested in one load is not requested again in the next. */
const counts = { computed: 0, cached: 0 }
const chosen = kinds.flatMap((kind) => Array.from({ length: kind.percent }, () => kind))
const choose = () => chosen[Math.floor(Math.random() * chosen.length)]!

/** The difference of `performance.now()` to the clock that all processes of the machine share. */
const sharedMs = clockMs() - performance.now()

let foundMs = Infinity
/**
 * Returns when the event loop polled the current events: all of them had happened by then, however
 * long the first one takes to process.
 */
const polledMs = (): number => {
  if (foundMs === Infinity) {
    foundMs = performance.now()
    setImmediate(() => void (foundMs = Infinity))
  }
  return foundMs
}

const noTimings = (): Timings => ({ sentMs: [], tookMs: [] })
const nothingSeen = (): Seen => ({ accepted: noTimings(), refused: noTimings(), failed: 0 })

const note = (seen: Seen, answer: Answer | null, { begunMs }: Request): void => {
  const isRefused = answer?.status === 503 && /\r\nretry-after: \d+\r\n/iu.test(answer.head)
  if (answer?.status !== 200 && !isRefused) {
    seen.failed++
    return
  }
  const { sentMs, tookMs } = isRefused ? seen.refused : seen.accepted
  sentMs.push(begunMs + sharedMs)
  tookMs.push(Math.max(0, polledMs() - begunMs))
}

/** Sends requests for the given time, and waits for the last answers. */
const runLoad = async (
  { connections, durationMs, perSecond, port }: Load
): Promise<LoadResult> => {
  const seen = { computed: nothingSeen(), cached: nothingSeen() }
  const [lateMs, connectedMs]: [Array<number>, Array<number>] = [[], []]
  const startedMs = performance.now()
  const waiting: Array<Request> = []
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let underWay = 0
  let isAllBegun = false
  const isOver = () => performance.now() - startedMs >= durationMs
  const endIfDone = () => {
    if (underWay === 0 && waiting.length === 0 && isAllBegun) end()
  }

  const send = (connection: Connection, request: Request): void => {
    const { kind, kind: { name } } = request
    underWay++
    connection.ask(getRequest(kind.path(counts[name]++)), (answer) => {
      underWay--
      if (answer === null) opened--
      // the server closed an idle connection while this was on its way: clients send it again
      if (answer === null && connection.answers > 0) return send(open(request), request)
      note(seen[name], answer, request)
      if (answer !== null) goOn(connection)
      endIfDone()
    })
  }
  const goOn = (connection: Connection): void => {
    if (perSecond === undefined) isAllBegun ||= isOver()
    const next = perSecond === undefined && !isAllBegun
      ? { kind: choose(), begunMs: performance.now() }
      : waiting.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
  }
  /** The first request of a new connection is sent as soon as the clients notice the connection. */
  const open = (request: Request): Connection => {
    opened++
    const beganMs = performance.now()
    return new Connection(port, () => {
      connectedMs.push((request.begunMs = performance.now()) - beganMs)
    })
  }
  const begin = (): void => {
    const request = { kind: choose(), begunMs: performance.now() }
    // the server may have closed connections that were idle for long
    while (free.at(-1)?.isClosed === true) {
      free.pop()
      opened--
    }
    const connection = free.pop() ?? (opened < connections ? open(request) : undefined)
    if (connection === undefined) waiting.push(request)
    else send(connection, request)
  }

  if (perSecond === undefined) { for (let i = 0; i < connections; i++) begin() }
  else {
    await atRandomTimes(perSecond, durationMs, (dueMs) => {
      lateMs.push(performance.now() - dueMs)
      begin()
    })
    isAllBegun = true
    endIfDone()
  }
  await ended
  return { seconds: (performance.now() - startedMs) / 1000, lateMs, connectedMs, kinds: seen }
}

/** Calls a function at random times with this mean rate, and passes when the call was due. */
const atRandomTimes = (
  perSecond: number,
  durationMs: number,
  call: (dueMs: number) => void
): Promise<void> =>
  new Promise((resolve) => {
    let dueMs = performance.now()
    const endMs = dueMs + durationMs
    const tick = setInterval(() => {
      const untilMs = Math.min(performance.now(), endMs)
      for (; dueMs < untilMs; dueMs -= Math.log(1 - Math.random()) * 1000 / perSecond) call(dueMs)
      if (dueMs < endMs) return
      clearInterval(tick)
      resolve()
    }, 1)
  })

process.on("message", (load: Load) => void runLoad(load).then((result) => process.send!(result)))
// open connections would keep the process alive
process.on("disconnect", () => process.exit())
