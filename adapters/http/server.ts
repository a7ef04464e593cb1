import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Duration, Effect, Layer } from "effect"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer, type Server } from "node:http"
import { answerClientErrors } from "./_client_errors.ts"
import { serverRequest } from "./_server_request.ts"
import { Application } from "./application.ts"
import type { HttpAnswer } from "./message.ts"

export interface ServerOptions {
  /** 0 takes a free port. */
  readonly port: number
  /** The address to listen on; all of them by default. */
  readonly host?: string
  /** Several processes may listen on one port (Linux, BSD). */
  readonly reusePort?: boolean
  /** How long answers that have begun may take after the server was told to stop; 5 seconds by default. */
  readonly shutdownTimeout?: Duration.Input
}

/** Serves the application over HTTP/1.1 for as long as the layer lives, then lets the answers that have begun end. */
export const serverLayer = (options: ServerOptions): Layer.Layer<HttpServer.HttpServer, HttpServerError.ServeError, Application> =>
  Layer.unwrap(Effect.gen(function*() {
    const application = yield* Application
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const { urlBytesMax, headerBytesMax } = application.limits
    // the parser counts the URL as a header and refuses before the application can say which of the two is too long
    const server = createServer({ maxHeaderSize: 2 * (urlBytesMax + headerBytesMax), requireHostHeader: false })
    answerClientErrors(server, application, run)
    const { shutdownTimeout = "5 seconds", ...listen } = options
    return HttpServer.serve(served(application)).pipe(
      Layer.provideMerge(NodeHttpServer.layerServer(() => server satisfies Server, { ...listen, gracefulShutdownTimeout: shutdownTimeout }))
    )
  }))

/** The application as the server calls it. No tracer, no logger and no router of the framework stands on the way. */
const served = (application: Application["Service"]) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const read = serverRequest(request)
    return Effect.mapEager(
      // without a Host header HTTP/1.1 is malformed
      read === undefined ? application.refuse("malformed-request", "The header Host is missing: HTTP/1.1 requires it") : application.handle(read),
      toResponse
    )
  })

/** Responses without a body, by the headers that answers of one snapshot share: only the body is new. */
const templates = new WeakMap<HttpAnswer["headers"], HttpServerResponse.HttpServerResponse>()

const toResponse = ({ status, headers, body }: HttpAnswer): HttpServerResponse.HttpServerResponse => {
  let template = templates.get(headers)
  if (template === undefined || template.status !== status) {
    template = HttpServerResponse.empty({ status, headers })
    templates.set(headers, template)
  }
  if (body === "") return template
  const contentType = headers["content-type"]
  return HttpServerResponse.setBody(template, typeof body === "string" ? HttpBody.text(body, contentType) : HttpBody.uint8Array(body, contentType))
}
