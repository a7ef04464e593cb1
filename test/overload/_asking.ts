import { connect, type Socket } from "node:net"

/** One kind of request: its paths are asked in turn. */
export interface Kind {
  readonly name: string
  readonly paths: ReadonlyArray<string>
  /** How many of a hundred requests are of this kind. */
  readonly percent: number
}

export interface Load {
  readonly port: number
  readonly kinds: ReadonlyArray<Kind>
  readonly durationMs: number
  /** Requests a second, which come whether or not those before were answered; so many connections that ask one after the other where it is absent. */
  readonly perSecond?: number
  readonly connections: number
}

/** What became of the requests of a kind, times in milliseconds from when they were due. */
export interface Outcome {
  readonly accepted: Times
  readonly refused: Times
  /** Neither an answer nor a refusal that says when to come again. */
  readonly failed: number
}

export interface Times {
  readonly count: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

interface Due {
  readonly kind: number
  readonly atMs: number
}

/** Asks for as long as it was told, and waits for the last answers. */
export const ask = async ({ connections, durationMs, kinds, perSecond, port }: Load): Promise<{ readonly [kind: string]: Outcome }> => {
  const seen = kinds.map(() => ({ accepted: [] as Array<number>, refused: [] as Array<number>, failed: 0 }))
  const asked = kinds.map(() => 0)
  const chosen = kinds.flatMap(({ percent }, kind) => Array.from({ length: percent }, () => kind))
  const choose = () => chosen[Math.floor(Math.random() * chosen.length)]!
  const startedMs = performance.now()
  const free: Array<Connection> = []
  const due: Array<Due> = []
  let [opened, underWay] = [0, 0]
  let finished: (() => void) | undefined
  const isOver = () => performance.now() - startedMs >= durationMs
  let isAllSent = false

  const send = (connection: Connection, { atMs, kind }: Due): void => {
    underWay++
    const { paths } = kinds[kind]!
    connection.ask(paths[asked[kind]!++ % paths.length]!, (status, head) => {
      underWay--
      const tookMs = performance.now() - atMs
      // the server let an idle connection go while this was on its way: clients send it once more
      if (status === 0 && connection.answers > 0) {
        opened--
        return void send(open(), { kind, atMs })
      }
      const of = seen[kind]!
      if (status === 200 || status === 304) of.accepted.push(tookMs)
      else if (status === 503 && /\r\nretry-after: \d+\r\n/iu.test(head)) of.refused.push(tookMs)
      else of.failed++
      if (status === 0) opened--
      else go(connection)
      if (underWay === 0 && due.length === 0 && (perSecond === undefined ? isOver() : isAllSent)) finished?.()
    })
  }
  const go = (connection: Connection): void => {
    const next = perSecond === undefined ? isOver() ? undefined : { kind: choose(), atMs: performance.now() } : due.shift()
    if (next === undefined) free.push(connection)
    else send(connection, next)
  }
  /** The server lets go of those that were idle for long. */
  const takeFree = (): Connection | undefined => {
    for (;;) {
      const connection = free.pop()
      if (connection?.isClosed !== true) return connection
      opened--
    }
  }
  const open = () => {
    opened++
    return new Connection(port)
  }

  const ended = new Promise<void>((resolve) => finished = resolve)
  if (perSecond === undefined) for (let i = 0; i < connections; i++) go(open())
  else {
    let nextMs = startedMs
    const tick = setInterval(() => {
      const nowMs = performance.now()
      for (; nextMs <= nowMs && nextMs - startedMs < durationMs; nextMs -= Math.log(1 - Math.random()) * 1000 / perSecond) {
        const one = { kind: choose(), atMs: nextMs }
        const connection = takeFree() ?? (opened < connections ? open() : undefined)
        if (connection === undefined) due.push(one)
        else send(connection, one)
      }
      if (nextMs - startedMs < durationMs) return
      clearInterval(tick)
      isAllSent = true
      if (underWay === 0 && due.length === 0) finished?.()
    }, 1)
  }
  await ended
  for (const connection of free) connection.close()
  const tookSeconds = (performance.now() - startedMs) / 1000
  return Object.fromEntries(kinds.map(({ name }, i) => [name, { ...seen[i]!, accepted: timesOf(seen[i]!.accepted, tookSeconds), refused: timesOf(seen[i]!.refused, tookSeconds) }]))
}

const timesOf = (times: Array<number>, seconds: number): Times => {
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { count: times.length, perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** One request after the other. */
class Connection {
  readonly #socket: Socket
  #answered: ((status: number, head: string) => void) | undefined
  #head = ""
  #missing = -1
  isClosed = false
  answers = 0

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true })
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk)).on("error", () => {}).on("close", () => {
      this.isClosed = true
      this.#end(0)
    })
  }

  ask(path: string, answered: (status: number, head: string) => void): void {
    this.#answered = answered
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    if (this.#missing < 0) {
      this.#head += chunk.toString("latin1")
      const end = this.#head.indexOf("\r\n\r\n")
      if (end < 0) return
      this.#missing = Number(/\r\ncontent-length: (\d+)/iu.exec(this.#head)?.[1] ?? 0) - (this.#head.length - end - 4)
      this.#head = this.#head.slice(0, end + 2)
    } else this.#missing -= chunk.length
    if (this.#missing > 0) return
    const head = this.#head
    this.#head = ""
    this.#missing = -1
    this.#end(Number(head.slice(9, 12)), head)
  }

  #end(status: number, head = ""): void {
    const answered = this.#answered
    this.#answered = undefined
    if (status !== 0) this.answers++
    answered?.(status, head)
  }
}
