import { Effect, Exit, Fiber, type Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline } from "node:stream"
import type { Application } from "../application.ts"
import {
  type Admission,
  type HttpAnswer,
  isStream,
  type ProblemName,
  type WholeBody
} from "../message/mod.ts"
import type { Connection, Connections } from "./_connections.ts"
import type { RefusalPacer } from "./_refusal_pacer.ts"

/**
 * How long the rest of an unread body is read and discarded. If the connection were closed at once,
 * it would be reset before the client has read the answer.
 */
const discardMs = 1000

interface RequestHandlerOptions {
  readonly application: Application["Service"]
  readonly admit: () => Admission
  readonly connections: Connections
  readonly refusals: RefusalPacer
  readonly run: (effect: Effect.Effect<HttpAnswer>) => Fiber.Fiber<HttpAnswer>
  /** When it closes, the computations of answers are interrupted. */
  readonly scope: Scope.Scope
}

type RequestHandler = (source: IncomingMessage, response: ServerResponse) => void

/**
 * Returns the listener for `request`. Unlike `HttpServer.serve` it needs no fiber, no scope and no
 * copy of the headers for an answer that is known at once. It buys the row "one token, cached" of
 * test/bench/RESULTS.md; "one token, cached, HttpServer.serve" is without it.
 */
export const makeRequestHandler = (
  { admit, application, connections, refusals, run, scope }: RequestHandlerOptions
): RequestHandler => {
  const { accepts } = connections
  const answer = (
    source: IncomingMessage,
    response: ServerResponse,
    connection: Connection
  ): void => {
    const hosts = hostLines(source)
    const effect = hosts > 1 || (hosts === 0 && source.httpVersion === "1.1")
      ? application.refuse(wrongHost(hosts))
      : application.handle({
        method: source.method!,
        url: originForm(source.url!),
        headers: source.headers,
        body: (bytesMax) => readBody(source, bytesMax),
        stream: source,
        peer: source.socket,
        admit,
        accepts
      })
    const end = (exit: Exit.Exit<HttpAnswer>): void => {
      // the only failure is an interruption: the client disconnected, or the server stopped
      if (Exit.isFailure(exit)) return void response.destroy()
      const send = () => {
        sendAnswer(exit.value, source, response, connections.isDraining)
        connections.onSent(connection)
      }
      if (exit.value.headers["retry-after"] === undefined) send()
      else refusals.add(send)
    }
    if (Exit.isExit(effect)) return end(effect as Exit.Exit<HttpAnswer>)
    const fiber = run(effect)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return end(exit)
    Fiber.runIn(fiber, scope).addObserver(end)
    response.once("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }
  return (source, response) => {
    const connection = connections.get(source.socket)
    if (connection === undefined) return void response.destroy()
    connection.enqueue(response, () => answer(source, response, connection))
  }
}

/** Returns the path and the query of a target, which may be an absolute URL: RFC 9112, section 3.2.2. */
const originForm = (target: string): string => {
  const rest = target.replace(/^https?:\/\/[^/?#]*/iu, "")
  return rest === target || rest.startsWith("/") ? rest : `/${rest}`
}

/** The refusal of RFC 9112, section 3.2. HTTP/1.0 does not require the header. */
const wrongHost = (lines: number) => ({
  name: "malformed-request",
  message: `The header Host is ${lines === 0 ? "missing" : "repeated"}: HTTP requires one`
} as const)

/** Returns the number of the headers `Host`; Node drops all but the first from `headers`. */
const hostLines = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, i) => name.length === 4 && i % 2 === 0 && /host/iu.test(name)).length

/** Returns whether a body follows the headers. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0"

/**
 * Sends an answer. If the body of the request is still arriving, discards it first.
 *
 * @param isLast whether to close the connection afterwards
 */
export const sendAnswer = (
  answer: HttpAnswer,
  source: IncomingMessage,
  response: ServerResponse,
  isLast: boolean
): void => {
  if (response.destroyed || response.headersSent) return
  const { body, headers, status } = answer
  const isUnread = hasBody(source) && !source.readableEnded
  const isClosing = isLast || isUnread && status === 413
  response.writeHead(status, isClosing ? { ...headers, connection: "close" } : headers)
  // a stream that fails, or whose client disconnects, destroys the response
  if (isStream(body)) pipeline(body, response, () => undefined)
  else if (isUnread) discardBody(source, response, body)
  // as many bytes as characters: the text is ASCII, which is sent as it is
  else if (headers["content-length"] === String(body.length)) response.end(body, "latin1")
  else response.end(body)
}

/**
 * Sends an answer to a request whose body is still arriving, and discards the body. The answer ends
 * after the body, so that the client does not reuse the connection too early.
 */
const discardBody = (
  source: IncomingMessage,
  response: ServerResponse,
  body: WholeBody
): void => {
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(() => {
    response.end()
    source.socket.destroySoon()
  }, discardMs)
  source.on("error", () => undefined).once("close", end).once("end", end).resume()
  if (body === "") response.flushHeaders()
  else response.write(body)
}

/**
 * Reads a body of at most `bytesMax` bytes. Fails with `body-too-large` if it is longer, and with
 * `malformed-request` if it is malformed or the client disconnects.
 */
export const readBody = (
  source: IncomingMessage,
  bytesMax: number
): Effect.Effect<Uint8Array, ProblemName> =>
  Effect.callback((resume) => {
    // `optimizeEmptyRequests`: a request without a body emits no `end`
    if (source.readableEnded) return resume(Effect.succeed(new Uint8Array()))
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    const stop = () => {
      source.off("data", take).off("end", finish).off("close", fail).off("error", fail)
      // an error without a listener would end the process
      source.on("error", () => undefined)
    }
    const take = (chunk: Uint8Array) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= bytesMax) return
      stop()
      source.pause()
      resume(Effect.fail("body-too-large"))
    }
    const finish = () => {
      stop()
      resume(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    }
    const fail = () => {
      stop()
      resume(Effect.fail("malformed-request"))
    }
    if (source.destroyed) return fail()
    source.on("data", take).on("end", finish).on("close", fail).on("error", fail)
    return Effect.sync(stop)
  })
