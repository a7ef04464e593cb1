import { Effect, Layer, Metric } from "effect"
import { HttpServer } from "effect/http"
import { connect, type Socket } from "node:net"
import { Application, type HttpAnswer, type HttpRequest } from "../../adapters/http/mod.ts"
import { serverLayer, type ServerLimits } from "../../adapters/http/node/mod.ts"
import { openMonitor, type OpenMonitor } from "../../adapters/metrics/mod.ts"
import { Monitor } from "../../core/ports/mod.ts"

/* Returns how often a limit was hit. */

export type Hits = (limit: string) => Effect.Effect<number>

const hitsOf = ({ exportContext }: OpenMonitor): Hits => (limit) =>
  Effect.map(exportContext, (context) => {
    let hits = 0
    for (const { attributes, id, state, type } of Metric.snapshotUnsafe(context)) {
      if (
        id === "rollup_limit_hits_total" && type === "Counter" && attributes?.limit === limit
      ) hits += Number(state.count)
    }
    return hits
  })

/** Builds an application with metrics; returns it with the hits of its limits. */
export const watchedApplication = Effect.fnUntraced(function*(layer: Layer.Layer<Application>) {
  const monitor = openMonitor()
  const context = yield* Effect.provideService(Layer.build(layer), Monitor, monitor)
  const { handle, refuse } = yield* Effect.provide(Application, context)
  return { handle, refuse, hits: hitsOf(monitor) }
})

/** Starts a server with metrics; returns its port and the hits of its limits. */
export const watchedServer = Effect.fnUntraced(
  function*(application: Layer.Layer<Application>, limits: Partial<ServerLimits>) {
    const monitor = openMonitor()
    const layer = serverLayer({ port: 0, host: "127.0.0.1", shutdownTimeout: "100 millis", limits })
      .pipe(Layer.provide(application))
    const context = yield* Effect.provideService(Layer.build(layer), Monitor, monitor)
    const { address } = yield* Effect.provide(HttpServer.HttpServer, context)
    /** Returns the value of a gauge without labels. */
    const read = (name: string): Effect.Effect<number> =>
      Effect.map(
        monitor.exportContext,
        (context) =>
          Metric.snapshotUnsafe(context).flatMap(({ id, state, type }) =>
            id === name && type === "Gauge" ? [Number(state.value)] : []
          )[0]!
      )
    return { port: (address as { readonly port: number }).port, hits: hitsOf(monitor), read }
  }
)

/** Returns a POST request. */
export const posting = (url: string, body: string): HttpRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json", "content-length": String(body.length) },
  body: () => Effect.succeed(new TextEncoder().encode(body))
})

export const statusOf = Effect.map(({ status }: HttpAnswer) => status)

/** Opens a connection and collects what it receives until it closes. */
export const talk = (
  port: number,
  bytes: string
): { readonly socket: Socket; readonly received: Promise<string> } => {
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
  const received = new Promise<string>((resolve) => {
    let text = ""
    socket.on("data", (chunk) => text += chunk).on("error", () => {}).on(
      "close",
      () => resolve(text)
    )
  })
  return { socket, received }
}
