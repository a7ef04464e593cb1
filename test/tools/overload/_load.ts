import { Connection } from "./_connection.ts"
import { type Kind, kinds } from "./_kinds.ts"

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
  readonly sentMs: Float64Array
  readonly tookMs: Float64Array
}

export interface LoadResult {
  readonly seconds: number
  readonly kinds: {
    readonly [kind in Kind["name"]]: {
      readonly accepted: Timings
      readonly refused: Timings
      readonly failed: number
    }
  }
  /** How late each request was sent: the clients were busy, or had no processor. */
  readonly lateMs: Float64Array
  /** How long each new connection took until the clients noticed it. */
  readonly connectedMs: Float64Array
}

/** Open connections are reused by the next load, as clients do. */
const free: Array<Connection> = []
let opened = 0
/** A path requested in one load is not requested again in the next. */
const requestCounts = kinds.map(() => 0)
const chosen = kinds.flatMap(({ percent }, kind) => Array.from({ length: percent }, () => kind))

/** The difference of `performance.now()` to the clock that all processes of the machine share. */
const clockMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Sends requests for the given time, and waits for the last answers. */
export const runLoad = async (
  { connections, durationMs, perSecond, port }: Load
): Promise<LoadResult> => {
  const seen = kinds.map(() => ({ accepted: new Times(), refused: new Times(), failed: 0 }))
  const [lateMs, connectedMs]: [Array<number>, Array<number>] = [[], []]
  const choose = () => chosen[Math.floor(Math.random() * chosen.length)]!
  const startedMs = performance.now()
  const waiting: Array<Request> = []
  let underWay = 0
  let finished: (() => void) | undefined
  const isOver = () => performance.now() - startedMs >= durationMs
  let isAllBegun = false

  const send = (connection: Connection, request: Request): void => {
    underWay++
    const { kind } = request
    connection.ask(kinds[kind]!.path(requestCounts[kind]!++), (answer, thereMs) => {
      underWay--
      if (answer === null) opened--
      // the server closed an idle connection while this was on its way: clients send it again
      if (answer === null && connection.answers > 0) return send(open(request), request)
      const of = seen[kind]!
      const tookMs = Math.max(0, thereMs - request.begunMs)
      if (answer?.status === 200 || answer?.status === 304) of.accepted.add(request.begunMs, tookMs)
      else if (answer?.status === 503 && /\r\nretry-after: \d+\r\n/iu.test(answer.head)) {
        of.refused.add(request.begunMs, tookMs)
      } else of.failed++
      if (answer !== null) go(connection)
      if (
        underWay === 0 && waiting.length === 0 && (perSecond === undefined ? isOver() : isAllBegun)
      ) finished?.()
    })
  }
  const go = (connection: Connection): void => {
    const next = perSecond === undefined
      ? isOver() ? undefined : { kind: choose(), begunMs: performance.now() }
      : waiting.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
  }
  /** The server may have closed connections that were idle for long. */
  const takeFree = (): Connection | undefined => {
    for (;;) {
      const connection = free.pop()
      if (connection?.isClosed !== true) return connection
      opened--
    }
  }
  /** The first request of a new connection is sent as soon as the clients notice the connection. */
  const open = (request: Request): Connection => {
    opened++
    const beganMs = performance.now()
    return new Connection(port, () => {
      connectedMs.push((request.begunMs = performance.now()) - beganMs)
    })
  }
  const begin = (request: Request): void => {
    const connection = takeFree() ?? (opened < connections ? open(request) : undefined)
    if (connection === undefined) waiting.push(request)
    else send(connection, request)
  }

  const ended = new Promise<void>((resolve) => finished = resolve)
  if (perSecond === undefined) {
    for (let i = 0; i < connections; i++) begin({ kind: choose(), begunMs: performance.now() })
  } else {
    let dueMs = startedMs
    const tick = setInterval(() => {
      const untilMs = performance.now()
      while (dueMs <= untilMs && dueMs - startedMs < durationMs) {
        const begunMs = performance.now()
        lateMs.push(begunMs - dueMs)
        begin({ kind: choose(), begunMs })
        dueMs -= Math.log(1 - Math.random()) * 1000 / perSecond
      }
      if (dueMs - startedMs < durationMs) return
      clearInterval(tick)
      isAllBegun = true
      if (underWay === 0 && waiting.length === 0) finished?.()
    }, 1)
  }
  await ended
  return {
    seconds: (performance.now() - startedMs) / 1000,
    lateMs: new Float64Array(lateMs),
    connectedMs: new Float64Array(connectedMs),
    kinds: Object.fromEntries(
      kinds.map((
        { name },
        i
      ) => [name, {
        accepted: seen[i]!.accepted.timings,
        refused: seen[i]!.refused.timings,
        failed: seen[i]!.failed
      }])
    ) as unknown as LoadResult["kinds"]
  }
}

interface Request {
  readonly kind: number
  /**
   * When the clients started it; on a new connection, when that was established. A request that
   * waits for a free connection waits for the server.
   */
  begunMs: number
}

class Times {
  readonly #sentMs: Array<number> = []
  readonly #tookMs: Array<number> = []

  add(sentMs: number, tookMs: number): void {
    this.#sentMs.push(sentMs + clockMs)
    this.#tookMs.push(tookMs)
  }

  get timings(): Timings {
    return { sentMs: new Float64Array(this.#sentMs), tookMs: new Float64Array(this.#tookMs) }
  }
}
