import type { Exit, Fiber } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { KnownLines, plainGet } from "./_known_lines.ts"
import type { Lent } from "./_slow_readers.ts"
import type { Unsent } from "./_unsent.ts"
import type { HttpAnswer, HttpRequest } from "./message.ts"

/** An answer, or what is about to answer. */
export type Answering = Exit.Exit<HttpAnswer> | Fiber.Fiber<HttpAnswer>

export interface DirectlyOptions {
  readonly server: Server
  readonly unsent: Unsent
  readonly begin: (request: HttpRequest) => Answering
  /** Sends an answer that is there, on a connection that stays; false where it is not, or Node has to. */
  readonly send: (answer: Answering, socket: Lent) => boolean
}

/** Bytes that Node is reading, which it tells of within the call. */
interface Given {
  readonly socket: Lent
  readonly url: string
  /** What has begun to answer the request that they are. */
  answer?: Answering
  /** Whether Node found what was expected, and nothing is to come of it. */
  isWhole?: true
  /** Its headers, where others like it need not be read. */
  headers?: HttpRequest["headers"]
}

/** What makes more of a request than its lines say. */
const unusual = ["content-length", "transfer-encoding", "expect"] as const

/**
 * Answers GETs that Node need not read: each comes as a whole and alone on a connection that waits for nothing, with lines that Node has read
 * before, byte for byte, and its answer is there at once. To make objects of a request and of its response, and to end them, takes Node twice
 * as long as all else about what is kept ready. Everything else is Node's, together with what has begun to answer it; and so is a connection
 * for good once anything comes on it that is no whole GET: nobody but Node knows where in a message it stands then. Who listens to Node, in
 * its `diagnostics_channel` for one, does not hear of what is answered so.
 */
export class Directly {
  readonly #known = new KnownLines()
  readonly #options: DirectlyOptions
  #given: Given | undefined

  constructor(options: DirectlyOptions) {
    this.#options = options
    options.server.on("connection", (socket: Lent) => this.#watch(socket))
  }

  /** To be told of each request that Node has read; what has begun to answer it, if anything has. */
  told({ headers, method, socket, url }: IncomingMessage, response: ServerResponse): Answering | undefined {
    const given = this.#given
    const isGiven = given !== undefined && given.socket === socket && given.url === url
    // Node throws away what came in the same bytes behind an offer of another protocol: nobody knows where the next request begins
    if (headers.upgrade !== undefined && !isGiven) response.shouldKeepAlive = false
    if (!isGiven) return undefined
    if (method === "GET" && response.shouldKeepAlive && headers.host !== undefined && unusual.every((name) => headers[name] === undefined)) {
      given.isWhole = true
      if (headers.upgrade === undefined) given.headers = headers
    }
    return given.answer
  }

  #watch(socket: Lent): void {
    const [listener, ...others] = socket.listeners("data")
    // other runtimes read in other ways
    if (listener === undefined || others.length > 0) return
    /** Whether Node awaits nothing: it counts the time until the first headers of a connection have come, and reads otherwise what comes behind an offer of another protocol. */
    let isAtEase = false
    const nodes = listener as (chunk: Buffer) => void
    const read = (chunk: Buffer): void => {
      const get = plainGet(chunk)
      const headers = get && this.#known.headersOf(get.lines)
      if (get === undefined) return leave(chunk)
      const given: Given = { socket, url: get.url }
      if (headers !== undefined && isAtEase && this.#isFree(socket)) {
        const answer = this.#options.begin({ method: "GET", url: get.url, headers, peer: socket })
        if (this.#options.send(answer, socket)) return this.#options.unsent.wrote(socket)
        given.answer = answer
      }
      this.#given = given
      try {
        Reflect.apply(nodes, socket, [chunk])
      } finally {
        this.#given = undefined
      }
      if (given.isWhole !== true) return leave()
      isAtEase = given.headers !== undefined
      if (headers === undefined && given.headers !== undefined) this.#known.learn(get.lines, given.headers)
    }
    const leave = (chunk?: Buffer): void => {
      socket.off("data", read).on("data", nodes)
      if (chunk !== undefined) Reflect.apply(nodes, socket, [chunk])
    }
    socket.off("data", nodes).on("data", read)
  }

  /** Whether an answer may leave at once: a server that is ending tells its clients so, and earlier answers come first. */
  #isFree(socket: Lent): boolean {
    const { server, unsent } = this.#options
    return server.listening && socket._httpMessage == null && socket.writable && socket.writableLength === 0 && unsent.of(socket) === undefined
  }
}
