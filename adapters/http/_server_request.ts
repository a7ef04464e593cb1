import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage } from "node:http"
import type { HttpRequest } from "./message.ts"
import type { ProblemName } from "./problem.ts"

/** What the application reads of a request; undefined where HTTP/1.1 came without a Host. */
export const serverRequest = (request: HttpServerRequest): HttpRequest | undefined => {
  const source = request.source as IncomingMessage
  const { method, headers, httpVersionMinor, httpVersionMajor } = source
  if (headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1) return undefined
  // the framework's own view of the headers is a copy: the ones of Node are read in place, and so is the body
  return { method: method!, url: request.url, headers, body: (bytesMax) => readBody(source, bytesMax) }
}

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
