import { Context, Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { serverLayer } from "../../adapters/http/node/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { LedgerVersions, sqlStores, type SqlStoresOptions } from "../../adapters/sql/mod.ts"
import { nodeOver } from "../../app/node/layers.ts"
import {
  LatestLedgerVersion,
  LatestPoolVersion,
  LedgerReader,
  LedgerWriter,
  PoolStore
} from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"

/** Opens the stores of a database and the ledger over them, as one process does. */
export const opened = (url: string, options: Omit<SqlStoresOptions, "url">) =>
  Effect.map(
    Layer.build(
      Layer.fresh(
        Ledger.layer(options.genesis, keccak256).pipe(
          Layer.provideMerge(sqlStores({ url: Redacted.make(url), ...options }))
        )
      )
    ),
    (services) => ({
      services,
      ledger: Context.get(services, Ledger),
      reader: Context.get(services, LedgerReader),
      pool: Context.get(services, PoolStore),
      versions: Context.get(services, LedgerVersions),
      tip: Context.get(services, LatestLedgerVersion)!,
      latestPoolVersion: Context.get(services, LatestPoolVersion)!
    })
  )

/** Starts a node over a database on a free port, as the program does. */
export const served = (url: string, options: Omit<SqlStoresOptions, "url">) =>
  Effect.gen(function*() {
    const node = nodeOver(sqlStores({ url: Redacted.make(url), ...options }), {
      genesis: options.genesis
    })
    const context = yield* Layer.build(
      Layer.fresh(
        serverLayer({ port: 0, host: "127.0.0.1", shutdownTimeout: 100 }).pipe(
          Layer.provideMerge(node)
        )
      )
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    if (address._tag === "UnixPathAddress") {
      return yield* Effect.die(new Error("The server listens on no port"))
    }
    return {
      port: address.port,
      ledger: Context.get(context, Ledger),
      reader: Context.get(context, LedgerReader),
      writer: Context.get(context, LedgerWriter),
      store: Context.get(context, PoolStore)
    }
  })

/** The response to a request. */
export interface ServedResponse {
  readonly status: number
  readonly retryAfter: string | null
  readonly version: number
  readonly body: string
}

/** Sends a request over a new connection. */
export const request = (port: number, path: string): Effect.Effect<ServedResponse> =>
  Effect.promise(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { connection: "close" }
    })
    return {
      status: answer.status,
      retryAfter: answer.headers.get("retry-after"),
      version: Number(answer.headers.get("ledger-version")),
      body: await answer.text()
    }
  })

/** Repeats a request until the response satisfies a condition. */
export const requestUntil = (
  port: number,
  path: string,
  holds: (seen: ServedResponse) => boolean
): Effect.Effect<ServedResponse> =>
  Effect.flatMap(
    request(port, path),
    (seen) => holds(seen) ? Effect.succeed(seen) : Effect.delay(requestUntil(port, path, holds), 50)
  )
