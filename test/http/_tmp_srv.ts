import { Effect, Layer } from "effect"
import { serverLayer } from "../../adapters/http/node.ts"
import { application } from "./_application.ts"
Effect.runFork(Layer.launch(serverLayer({ port: 18123, host: "127.0.0.1" }).pipe(Layer.provide(application()))))
process.on("SIGTERM", () => process.exit(0))
