import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { get, type IncomingHttpHeaders } from "node:http"
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { nodeCompression, serverLayer } from "../../../adapters/http/node/mod.ts"
import { memoryNode } from "../../_memory_node.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { Ledger } from "../../../core/mod.ts"

const simulation = simulate({ seed: 1, placeholderRoots: true })
const filled = Layer.effectDiscard(Effect.gen(function*() {
  const ledger = yield* Ledger
  while (simulation.transactionCount() < 2500) yield* ledger.applyRecord(simulation.next())
}))
const node = filled.pipe(
  Layer.provideMerge(memoryNode({ genesis: simulation.genesis, compression: nodeCompression }))
)
const server = serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(node))

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Requests a path with this `Accept-Encoding`; does not decode the body. */
const request = (
  path: string,
  accepted: string
): Effect.Effect<Received, never, HttpServer.HttpServer> =>
  Effect.flatMap(
    HttpServer.HttpServer,
    ({ address }) =>
      Effect.promise(() =>
        new Promise((resolve, reject) => {
          const { port } = address as { readonly port: number }
          const headers = { "accept-encoding": accepted }
          get({ host: "127.0.0.1", port, path, headers }, (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk: Buffer) => chunks.push(chunk))
              .on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
          }).on("error", reject)
        })
      )
  )

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

layer(server)("compression by Node", (it) => {
  it.effect(
    "2,000 items leave in less than 15 % of their bytes by zstd and br, and 20 % by gzip",
    () =>
      Effect.gen(function*() {
        const path = "/transactions-history?limit=2000"
        const plain = yield* request(path, "identity")
        assert.strictEqual(JSON.parse(plain.body.toString()).transactions.length, 2000)
        const shareMax = { zstd: 0.15, br: 0.15, gzip: 0.2 }
        for (const name of ["zstd", "br", "gzip"] as const) {
          const { body, headers } = yield* request(path, name)
          assert.strictEqual(headers["content-encoding"], name)
          assert.strictEqual(headers["content-length"], String(body.length))
          assert.isTrue(decoders[name](body).equals(plain.body))
          assert.isBelow(body.length, shareMax[name] * plain.body.length, name)
        }
      }),
    30_000
  )

  it.effect("browsers get zstd, and clients that prefer another coding get that one", () =>
    Effect.gen(function*() {
      for (
        const [accepted, coding] of [
          ["gzip, deflate, br, zstd", "zstd"],
          ["gzip, deflate, br", "br"],
          ["gzip, deflate", "gzip"],
          ["deflate", undefined],
          ["zstd;q=0.5, gzip", "gzip"]
        ] as const
      ) {
        const { headers } = yield* request("/transactions-history", accepted)
        assert.strictEqual(headers["content-encoding"], coding, accepted)
      }
    }))
})
