import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { simulate } from "../../../app/simulator/mod.ts"
import { execute } from "../../postgres/_statements.ts"
import { copiedDatabase, freshDatabase, scopedDatabase } from "../../postgres/mod.ts"
import { proxyTo } from "../_proxy.ts"
import { served } from "../_running_node.ts"

const { genesis } = simulate({ seed: "restored" })
const lost = /has lost the last write of this process.+restart all/u

/** Opens a node over a database for the scope, as one process does. */
const opened = (url: string) =>
  Effect.map(served(url, { genesis, maxConnections: 4 }), ({ ledger, port, reader }) => ({
    version: Effect.map(reader.snapshotId, ({ version }) => version),
    setPrice: (usd: number) =>
      ledger.setPrices([{ tokenId: 0, priceUSD: usd, timeMs: 1_600_000_000_000 }]),
    token: (headers: Readonly<Record<string, string>> = {}) =>
      Effect.promise(() => fetch(`http://127.0.0.1:${port}/tokens/0`, { headers }))
  }))

// copies of a database need a server of the tests
describe.skipIf(process.env.DATABASE_URL)("a ledger after the restore of an older backup", () => {
  it.live("confirms no ETag of the ledger before, although its versions repeat", () =>
    Effect.scoped(Effect.gen(function*() {
      const original = yield* scopedDatabase(freshDatabase)
      yield* Effect.scoped(Effect.flatMap(opened(original.url), ({ setPrice }) => setPrice(1)))
      const backup = yield* scopedDatabase(() => copiedDatabase(original.url))
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

  for (const when of ["between two writes", "during a commit", "from before the lease"]) {
    it.live(`${when} refuses the writes of a process that is still running, and says what to do`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { url } = yield* scopedDatabase(freshDatabase)
        const proxy = yield* proxyTo(url)
        const { setPrice, version } = yield* opened(proxy.url)
        yield* Effect.promise(() => execute(url, "UPDATE writer SET epoch = 9"))
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
        if (when === "from before the lease") {
          yield* Effect.promise(() => execute(url, "UPDATE writer SET epoch = 3, holder = NULL"))
          assert.match((yield* Effect.flip(setPrice(3))).message, /no longer the writer/u)
        }
        assert.match((yield* Effect.flip(setPrice(4))).message, lost)
        assert.strictEqual(yield* version, Number(backup!.version))
      })))
  }
})
