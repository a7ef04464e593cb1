import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Context, Redacted, Result } from "effect"
import { HttpServer } from "effect/http"
import { serverLayer } from "../../../adapters/http/node/mod.ts"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { nodeOver } from "../../../app/node/layers.ts"
import { simulate } from "../../../app/simulator/mod.ts"
import { LedgerReader, LedgerWriter } from "../../../core/ports/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { copiedDatabase, freshDatabase } from "../../postgres/mod.ts"
import { startProxy } from "../_proxy.ts"

const { genesis } = simulate({ seed: "restored" })
const lost = /has lost the last write of this process.+restart all/u

/** Opens a node over a database for the scope, as one process does. */
const opened = (url: string) =>
  Effect.gen(function*() {
    const node = nodeOver(sqlStores({ url: Redacted.make(url), genesis, maxConnections: 4 }), {
      genesis
    })
    const server = serverLayer({ port: 0, host: "127.0.0.1", shutdownTimeout: 100 })
    const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(server, node)))
    const { address } = Context.get(context, HttpServer.HttpServer)
    const port = address._tag === "UnixPathAddress" ? 0 : address.port
    const writer = Context.get(context, LedgerWriter)
    return {
      version: Effect.map(Context.get(context, LedgerReader).snapshotId, ({ version }) => version),
      setPrice: (usd: number) =>
        writer.setPrices([{ tokenId: 0, priceUSD: usd, timeMs: 1_600_000_000_000 }], () =>
          Result.void),
      token: (headers: Readonly<Record<string, string>> = {}) =>
        Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/tokens/0`, { headers })
        )
    }
  })

// copies of a database need a server of the tests
describe.skipIf(process.env.DATABASE_URL)("a ledger after the restore of an older backup", () => {
  it.live("confirms no ETag of the ledger before, although its versions repeat", () =>
    Effect.scoped(Effect.gen(function*() {
      const original = yield* Effect.acquireRelease(
        Effect.promise(freshDatabase),
        ({ remove }) => Effect.promise(remove)
      )
      yield* Effect.scoped(Effect.flatMap(opened(original.url), ({ setPrice }) => setPrice(1)))
      const backup = yield* Effect.acquireRelease(
        Effect.promise(() => copiedDatabase(original.url)),
        ({ remove }) => Effect.promise(remove)
      )
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const { setPrice, token, version } = yield* opened(original.url)
        yield* setPrice(2)
        // the tag is another one once the notification of the write has arrived
        const etag = yield* Effect.repeat(
          Effect.gen(function*() {
            const etag = (yield* token()).headers.get("etag")!
            return (yield* token({ "if-none-match": etag })).status === 304 ? etag : null
          }),
          { until: (etag) => etag !== null }
        )
        return { etag: etag!, version: yield* version }
      }))
      const { setPrice, token, version } = yield* opened(backup.url)
      yield* setPrice(3)
      assert.strictEqual(yield* version, before.version)
      const answer = yield* token({ "if-none-match": before.etag })
      assert.strictEqual(answer.status, 200)
      assert.notStrictEqual(answer.headers.get("etag"), before.etag)
    })))

  for (const when of ["between two writes", "during a commit"]) {
    it.live(`${when} refuses the writes of a process that is still running, and says what to do`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* Effect.acquireRelease(
          Effect.promise(freshDatabase),
          ({ remove }) => Effect.promise(remove)
        )
        const proxy = yield* Effect.acquireRelease(
          Effect.promise(() => startProxy(url)),
          ({ close }) => Effect.promise(close)
        )
        const { setPrice, version } = yield* opened(proxy.url)
        yield* setPrice(1)
        const [backup] = yield* Effect.promise(() =>
          execute(url, "SELECT version, last_write::text AS last_write FROM ledger")
        )
        yield* setPrice(2)
        const restore = Effect.promise(() =>
          execute(
            url,
            `UPDATE ledger SET version = ${backup!.version}, last_write = '${backup!.last_write}'`
          )
        )
        if (when === "during a commit") {
          const met = proxy.failNext(/^COMMIT/, "unsent")
          const writing = yield* Effect.forkChild(Effect.flip(setPrice(3)))
          yield* Effect.promise(() => met)
          proxy.refusing = true
          yield* restore
          proxy.refusing = false
          assert.match((yield* Fiber.join(writing)).message, lost)
        } else yield* restore
        assert.match((yield* Effect.flip(setPrice(4))).message, lost)
        assert.strictEqual(yield* version, Number(backup!.version))
      })))
  }
})
