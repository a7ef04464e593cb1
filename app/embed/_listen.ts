import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import type { ServeError } from "effect/http/HttpServerError"
import { Application } from "../../adapters/http/mod.ts"
import { serverLayer } from "../../adapters/http/node/mod.ts"
import type { NodeServer } from "./node.ts"
import type { ListenOptions } from "./options.ts"

/** Starts a server of the application; `onClose` is called after it is shut down. */
export const listen = (
  { host = "127.0.0.1", limits, port, shutdownTimeoutMs = 5000 }: ListenOptions,
  onClose: () => void
): Effect.Effect<NodeServer, ServeError, Application> =>
  Effect.gen(function*() {
    const server = serverLayer({
      port,
      host,
      shutdownTimeout: shutdownTimeoutMs,
      ...limits === undefined ? {} : { limits }
    })
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(
      Layer.provide(server, Layer.succeed(Application, yield* Application)),
      scope
    ).pipe(Effect.onError(() => Scope.close(scope, Exit.void)))
    const { address } = Context.get(services, HttpServer.HttpServer)
    let closing: Promise<void> | undefined
    return {
      url: HttpServer.formatAddress(address),
      port: address._tag === "UnixPathAddress" ? 0 : address.port,
      close: () => closing ??= Effect.runPromise(Scope.close(scope, Exit.void)).finally(onClose)
    }
  })
