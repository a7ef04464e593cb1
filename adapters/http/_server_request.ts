import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { IncomingMessage } from "node:http"
import type { HttpRequest } from "./message.ts"
import type { ProblemName } from "./problem.ts"

/** What the application reads of a request; undefined where HTTP/1.1 came without a Host. */
export const serverRequest = (request: HttpServerRequest): HttpRequest | undefined => {
  const { method, headers, httpVersionMinor, httpVersionMajor } = request.source as IncomingMessage
  if (headers.host === undefined && httpVersionMajor === 1 && httpVersionMinor === 1) return undefined
  // the framework's own view of the headers is a copy: the ones of Node are read in place
  return { method: method!, url: request.url, headers, body: (bytesMax) => readBody(request, bytesMax) }
}

const readBody = (request: HttpServerRequest, bytesMax: number): Effect.Effect<Uint8Array, ProblemName> =>
  Effect.suspend(() => {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    return request.stream.pipe(
      Stream.mapError((): ProblemName => "malformed-request"),
      Stream.runForEach((chunk): Effect.Effect<void, ProblemName> => {
        bytes += chunk.length
        chunks.push(chunk)
        return bytes > bytesMax ? Effect.fail("body-too-large") : Effect.void
      }),
      Effect.map(() => Buffer.concat(chunks))
    )
  })
