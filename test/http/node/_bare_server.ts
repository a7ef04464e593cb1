import { Effect, Layer, type Scope } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { connect } from "node:net"
import {
  Application,
  defaultLimits,
  type HttpAnswer,
  type HttpRequest
} from "../../../adapters/http/mod.ts"
import { withLength } from "../../../adapters/http/message/mod.ts"
import { serverLayer, type ServerOptions } from "../../../adapters/http/node/mod.ts"

/** Returns an application with only these parts. */
export const application = (
  handle: (request: HttpRequest) => Effect.Effect<HttpAnswer>,
  refuse: Application["Service"]["refuse"] = () =>
    Effect.succeed({ status: 400, headers: {}, body: "" })
): Application["Service"] => ({
  limits: defaultLimits,
  refuse: (problem) => Effect.map(refuse(problem), withLength),
  handle: (request) => Effect.map(handle(request), withLength)
})

/** Starts a server with only this application; returns its port. */
export const bareServer = Effect.fnUntraced(function*(
  handle: (request: HttpRequest) => Effect.Effect<HttpAnswer>,
  scope: Scope.Scope,
  options: Omit<ServerOptions, "port"> = {}
) {
  const layer = serverLayer({
    port: 0,
    host: "127.0.0.1",
    shutdownTimeout: "50 millis",
    ...options
  })
  const context = yield* Layer.buildWithScope(
    Layer.provide(layer, Layer.succeed(Application, application(handle))),
    scope
  )
  return (yield* Effect.provide(HttpServer.HttpServer, context)).address as {
    readonly port: number
  }
})

/**
 * Sends requests over one connection, each after the response to the one before; returns the
 * responses without dates.
 */
export const answersOf = (port: number, requests: ReadonlyArray<string>) =>
  new Promise<ReadonlyArray<string>>((resolve, reject) => {
    const answers: Array<string> = []
    const socket = connect(port, "127.0.0.1", () => socket.write(requests[0]!))
    let chunks: Array<Buffer> = []
    let missing: number | undefined
    const end = () => {
      socket.destroy()
      resolve(answers)
    }
    socket.on("data", (chunk) => {
      chunks.push(chunk)
      if (missing === undefined) {
        const received = Buffer.concat(chunks)
        const head = received.subarray(0, received.indexOf("\r\n\r\n") + 4)
        if (head.length < 4) return
        missing = head.length +
          Number(/content-length: (\d+)/iu.exec(head.toString("latin1"))?.[1] ?? 0) -
          received.length
      } else missing -= chunk.length
      if (missing > 0) return
      answers.push(Buffer.concat(chunks).toString("latin1").replace(/Date: [^\r]+/u, "Date"))
      chunks = []
      missing = undefined
      if (answers.length === requests.length) end()
      else socket.write(requests[answers.length]!)
    }).on("error", reject).on("close", end)
  })
