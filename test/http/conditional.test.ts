/*
 * Answers that are there already. Replay one history with
 *
 *     SEED=123 npm test -- test/http/conditional.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application, type ApplicationOptions } from "../../adapters/http/mod.ts"
import * as memory from "../../adapters/memory/mod.ts"
import { earlier, later, wireContext } from "../../core/contract/mod.ts"
import { LedgerReader, LedgerTip, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Submission } from "../../core/use_cases/mod.ts"
import { inputGenerators, keptRecords, replay } from "../laws/mod.ts"
import { networkOf, optionsOf, seeds, titled } from "../properties/_networks.ts"

interface Told {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** A node over one ledger that has its answers ready, and one over the same ledger that computes every answer anew. */
const openBoth = Effect.fnUntraced(function*(genesis: ReturnType<typeof networkOf>["genesis"], options: Partial<ApplicationOptions> = {}) {
  const stores = yield* Layer.build(Layer.fresh(Layer.provideMerge(Ledger.layer(genesis, keccak256), Layer.merge(memory.layer(genesis), memory.poolLayer))))
  let reads = 0
  const reader = Context.get(stores, LedgerReader)
  const counting = { ...reader, list: ((name, query) => (reads++, reader.list(name, query))) as typeof reader.list }
  const application = (tip: LedgerTip | null) =>
    Effect.map(
      Layer.build(Layer.fresh(Application.layer({ context: wireContext(genesis.network, keccak256, 0), constants: genesis.constants, ...options })).pipe(
        Layer.provide(Layer.mergeAll(
          Layer.succeed(LedgerReader, counting), Layer.succeed(PoolStore, Context.get(stores, PoolStore)), Layer.mock(Submission, {}), Layer.succeed(LedgerTip, tip)
        ))
      )),
      (services) => (url: string, headers: { readonly [name: string]: string } = {}): Effect.Effect<Told> =>
        Effect.map(Context.get(services, Application).handle({ method: "GET", url, headers }), ({ body, headers, status }) =>
          ({ status, headers, body: typeof body === "string" ? body : new TextDecoder().decode(body) }))
    )
  return {
    ledger: Context.get(stores, Ledger), ready: yield* application(Context.get(stores, LedgerTip)), fresh: yield* application(null), readsOf: () => reads
  }
})

describe("an answer that is there already", () => {
  for (const seed of seeds.slice(0, 1)) {
    it.effect(`never differs from a fresh one, whatever the ledger does: ${titled(seed, "test/http/conditional.test.ts")}`, () => Effect.gen(function*() {
      const { genesis, records } = networkOf(optionsOf(seed), 150)
      const { fresh, ledger, ready } = yield* openBoth(genesis)
      const { network } = genesis
      const seen = new Map<string, Told>()
      let [notModified, kept] = [0, 0]
      const urls: Array<string> = ["/state", "/earlier/state", "/config", "/batches/1", "/tokens", "/docs", "/openapi.json"]
      for (const [place, record] of records.entries()) {
        yield* Effect.orDie(ledger.applyRecord(record))
        if (place % 9 === 0) {
          const facts = replay(genesis, keptRecords(records.slice(0, place + 1)), keccak256)
          const some = Arbitrary.all([inputGenerators.operationUrl(facts, later, network), Arbitrary.map(inputGenerators.operationUrl(facts, earlier, network), (url) => `/earlier${url}`)])
          urls.push(...(yield* Arbitrary.sampleEffect(some, { count: 20, seed: `${seed} ${place}` })).flat())
        }
        // each twice: computed, then from memory
        for (const url of [...urls, ...urls]) {
          const expected = yield* fresh(url)
          const before = seen.get(url)
          const told = yield* ready(url, before === undefined ? {} : { "if-none-match": before.headers.etag! })
          if (told.status === 304) {
            notModified++
            assert.strictEqual(told.body, "")
            assert.strictEqual(told.headers.etag, before!.headers.etag)
            assert.strictEqual(before!.body, expected.body, url)
            const again = yield* ready(url)
            assert.strictEqual(again.body, expected.body, url)
            kept++
            continue
          }
          assert.strictEqual(told.status, expected.status, url)
          if (told.status !== 200) {
            seen.delete(url)
            continue
          }
          assert.strictEqual(told.body, expected.body, url)
          for (const name of ["ledger-version", "ledger-batch", "ledger-ethereum-block", "api-revision"]) assert.strictEqual(told.headers[name], expected.headers[name])
          seen.set(url, told)
        }
      }
      assert.isAbove(notModified, 1000)
      assert.isAbove(kept, 1000)
      // no tag stands for two contents, of any two URLs or revisions
      const contents = new Map<string, string>()
      for (const [url, { body, headers }] of seen) {
        assert.strictEqual(contents.get(headers.etag!) ?? body, body, url)
        contents.set(headers.etag!, body)
      }
    }), 120_000)
  }

  it.effect("costs no read of a store, nor does telling a client that it has it", () => Effect.gen(function*() {
    const { genesis, records } = networkOf(optionsOf("1"), 50)
    const { ledger, readsOf, ready } = yield* openBoth(genesis)
    for (const record of records) yield* Effect.orDie(ledger.applyRecord(record))
    const first = yield* ready("/accounts?limit=5")
    const before = readsOf()
    assert.strictEqual((yield* ready("/accounts?limit=5")).body, first.body)
    assert.strictEqual((yield* ready("/accounts?limit=5", { "if-none-match": `"other", W/${first.headers.etag}` })).status, 304)
    assert.strictEqual(readsOf(), before)
    yield* ready("/accounts?limit=6")
    assert.strictEqual(readsOf(), before + 1)
  }))

  it.effect("is another one in the other revision, by path or by header", () => Effect.gen(function*() {
    const { genesis } = networkOf(optionsOf("1"), 0)
    const { ready } = yield* openBoth(genesis)
    const told = [yield* ready("/tokens"), yield* ready("/earlier/tokens"), yield* ready("/tokens", { "api-revision": "earlier" })]
    assert.notStrictEqual(told[0]!.headers.etag, told[1]!.headers.etag)
    assert.strictEqual(told[1]!.body, told[2]!.body)
    assert.strictEqual((yield* ready("/tokens", { "api-revision": "earlier", "if-none-match": told[0]!.headers.etag! })).status, 200)
    assert.strictEqual((yield* ready("/tokens", { "if-none-match": told[0]!.headers.etag! })).status, 304)
  }))

  it.effect("may be kept for good where no rollback reaches, and has to be asked about elsewhere", () => Effect.gen(function*() {
    const { genesis, records } = networkOf(optionsOf("1"), 60)
    const { ledger, ready } = yield* openBoth(genesis, { finalAfterBatches: 3 })
    for (const record of records) yield* Effect.orDie(ledger.applyRecord(record))
    const last = Number((yield* ready("/state")).headers["ledger-batch"])
    assert.isAbove(last, 4)
    assert.strictEqual((yield* ready(`/batches/${last - 3}`)).headers["cache-control"], "public, max-age=31536000, immutable")
    assert.strictEqual((yield* ready(`/batches/${last - 2}`)).headers["cache-control"], "no-cache")
    assert.strictEqual((yield* ready("/batches?limit=1")).headers["cache-control"], "no-cache")
  }))

  it.effect("is never kept where the client's own request is wrong", () => Effect.gen(function*() {
    const { genesis } = networkOf(optionsOf("1"), 0)
    const { ready } = yield* openBoth(genesis)
    const { headers } = yield* ready("/tokens")
    assert.strictEqual((yield* ready("/tokens?limt=5", { "if-none-match": headers.etag! })).status, 400)
    assert.strictEqual((yield* ready("/tokens/77", { "if-none-match": headers.etag! })).status, 404)
  }))
})
