import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { HttpRequest } from "./message.ts"
import type { ProblemName } from "./problem.ts"

/** What the application reads of a request; undefined where HTTP/1.1 came without a Host. */
export const serverRequest = (source: IncomingMessage): HttpRequest | undefined => {
  const { method, headers, httpVersionMinor, httpVersionMajor, url } = source
  if (headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1) return undefined
  // the framework's own view of the headers is a copy: the ones of Node are read in place, and so is the body
  return { method: method!, url: url!, headers, body: (bytesMax) => readBody(source, bytesMax), peer: source.socket }
}

/** Requests of one connection that wait for their turn, past which no more of its bytes are read. */
const waitingMax = 16

/** The requests of one connection that wait: what ends the waiting of each. */
type Waiting = Set<(turn: boolean) => void>
const waitingOf = new WeakMap<Socket, Waiting>()

/**
 * Waits until the answers to all earlier requests of the connection have left the process: then a connection holds one
 * answer, however many requests it sends without reading. Undefined where the turn has come already; false where the
 * connection has gone.
 */
export const turnOf = (request: HttpServerRequest): Effect.Effect<boolean> | undefined => {
  const response = responseOf(request)
  // Node lends its socket to one response at a time, in the order of the requests
  return response.socket === null ? waitFor(response, (request.source as IncomingMessage).socket) : undefined
}

export const responseOf = (request: HttpServerRequest) => NodeHttpServerRequest.toServerResponse(request) as ServerResponse

const waitFor = (response: ServerResponse, socket: Socket & { readonly _paused?: boolean }) =>
  Effect.callback<boolean>((resume) => {
    if (socket.destroyed) return resume(Effect.succeed(false))
    const waiting = waitingOf.get(socket) ?? watch(socket)
    const end = (turn: boolean) => {
      waiting.delete(end)
      // where Node has paused it, Node goes on by itself
      if (waiting.size === 0 && socket._paused !== true) socket.resume()
      // small answers are written at once: the event loop is let go so that a connection takes turns with the others
      setImmediate(() => resume(Effect.succeed(turn)))
    }
    waiting.add(end)
    response.once("socket", () => end(true))
    if (waiting.size >= waitingMax) hold(socket, waiting)
    return Effect.sync(() => void waiting.delete(end))
  })

const watch = (socket: Socket): Waiting => {
  const waiting: Waiting = new Set()
  waitingOf.set(socket, waiting)
  socket.once("close", () => {
    for (const end of waiting) end(false)
  })
  // Node reads on when an answer was written, whoever waits
  socket.on("drain", () => hold(socket, waiting))
  return waiting
}

/** Stops reading, a tick later: Node reads on after each request, and a tick after it was told to. */
const hold = (socket: Socket, waiting: Waiting) =>
  process.nextTick(() => {
    if (waiting.size >= waitingMax) socket.pause()
  })

/** Ends with the body, with its fault, or with the client that went away. */
const readBody = (source: IncomingMessage, bytesMax: number): Effect.Effect<Uint8Array, ProblemName> =>
  Effect.callback((resume) => {
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
