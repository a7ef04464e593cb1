import { connect, type Socket } from "node:net"

/** A response as it was received. */
export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** The outcome of a request: its response, or that the connection ended before one. */
export type Outcome = Answer | "closed"

interface Waiting {
  readonly isHead: boolean
  readonly end: (outcome: Outcome) => void
}

/** The received bytes are not an HTTP/1.1 response. */
class MalformedAnswer extends Error {}

/**
 * A raw connection: requests are sent as bytes, several at once if wanted; responses are parsed by
 * hand and belong to the requests in order.
 */
export class Connection {
  readonly #socket: Socket
  readonly #waiting: Array<Waiting> = []
  readonly #ended: Promise<void>
  #read: Buffer = Buffer.alloc(0)
  /** Responses without a request, such as the refusal of bytes that are not a request. */
  readonly unasked: Array<Answer> = []
  /** Describes an error in the received bytes. */
  fault: string | undefined
  /** The last response announced the end of the connection. */
  isLast = false
  isClosed = false

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true })
    this.#ended = new Promise((resolve) => {
      this.#socket.on("data", (chunk: Buffer) => this.#take(chunk)).on("error", () => {}).on(
        "close",
        () => {
          this.isClosed = true
          if (this.#read.length > 0) {
            this.fault ??= `The connection ended within an answer: ${shown(this.#read)}`
          }
          for (const { end } of this.#waiting.splice(0)) end("closed")
          resolve()
        }
      )
    })
  }

  /** Sends requests at once. */
  ask(
    requests: ReadonlyArray<{ readonly bytes: Buffer; readonly isHead: boolean }>
  ): ReadonlyArray<Promise<Outcome>> {
    const outcomes = requests.map(({ isHead }) =>
      new Promise<Outcome>((end) => {
        if (this.isClosed) end("closed")
        else this.#waiting.push({ isHead, end })
      })
    )
    this.#socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    return outcomes
  }

  /** Sends bytes, and closes the client's side if `isOver`. */
  send(bytes: Buffer, isOver: boolean): void {
    if (isOver) this.#socket.end(bytes)
    else this.#socket.write(bytes)
  }

  /** Resolves when the connection has ended, on either side. */
  get ended(): Promise<void> {
    return this.#ended
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk])
    try {
      for (;;) {
        const [waiting] = this.#waiting
        const next = readAnswer(this.#read, waiting?.isHead === true)
        if (next === undefined) return
        this.#read = this.#read.subarray(next.bytes)
        if (next.answer.status < 200) continue
        if (this.isLast) {
          throw new MalformedAnswer(`Something follows the last answer: ${shown(this.#read)}`)
        }
        this.isLast = next.answer.headers.get("connection") === "close"
        if (waiting === undefined) this.unasked.push(next.answer)
        else this.#waiting.shift()!.end(next.answer)
      }
    } catch (error) {
      this.fault ??= String(error)
      this.#socket.destroy()
    }
  }
}

const shown = (bytes: Buffer) => JSON.stringify(bytes.subarray(0, 500).toString("latin1"))

/**
 * Returns the response at the beginning of the bytes, and its length; undefined if it is
 * incomplete.
 */
const readAnswer = (
  bytes: Buffer,
  isHead: boolean
): { readonly answer: Answer; readonly bytes: number } | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/u.exec(first)?.[1] ?? NaN)
  if (Number.isNaN(status)) {
    throw new MalformedAnswer(`No status line: ${JSON.stringify(first.slice(0, 200))}`)
  }
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+): *([\t -~]*)$/u.exec(line) ?? []
    if (name === undefined || value === undefined) {
      throw new MalformedAnswer(`No header: ${JSON.stringify(line.slice(0, 200))}`)
    }
    const key = name.toLowerCase()
    if (headers.has(key)) throw new MalformedAnswer(`Twice the header ${key}`)
    headers.set(key, value)
  }
  const start = end + 4
  if (isHead || status < 200 || status === 204 || status === 304) {
    return { answer: { status, headers, body: bytes.subarray(start, start) }, bytes: start }
  }
  const [length, encoding] = [headers.get("content-length"), headers.get("transfer-encoding")]
  if (length !== undefined && encoding !== undefined) {
    throw new MalformedAnswer("Both Content-Length and Transfer-Encoding")
  }
  if (encoding !== undefined) return readChunks(bytes, start, { status, headers })
  if (length === undefined || !/^\d+$/u.test(length)) {
    throw new MalformedAnswer(`An answer without length: ${first}`)
  }
  const after = start + Number(length)
  return bytes.length < after
    ? undefined
    : { answer: { status, headers, body: bytes.subarray(start, after) }, bytes: after }
}

const readChunks = (
  bytes: Buffer,
  start: number,
  head: Omit<Answer, "body">
): ReturnType<typeof readAnswer> => {
  const chunks: Array<Buffer> = []
  for (let at = start;;) {
    const lineEnd = bytes.indexOf("\r\n", at)
    if (lineEnd < 0) return undefined
    const size = bytes.toString("latin1", at, lineEnd)
    if (!/^[0-9a-f]+$/iu.test(size)) {
      throw new MalformedAnswer(`No size of a chunk: ${JSON.stringify(size.slice(0, 100))}`)
    }
    const after = lineEnd + 2 + Number.parseInt(size, 16) + 2
    if (bytes.length < after) return undefined
    chunks.push(bytes.subarray(lineEnd + 2, after - 2))
    at = after
    if (size === "0") return { answer: { ...head, body: Buffer.concat(chunks) }, bytes: at }
  }
}
