import { bodyOf } from "../../_answers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { gunzipSync } from "node:zlib"
import {
  Application,
  type ApplicationOptions,
  type ContentCoding,
  gzipCoding,
  type HttpAnswer
} from "../../../adapters/http/mod.ts"
import { application } from "../_application.ts"
import { cacheStats } from "../_cache_stats.ts"

const large = "/tokens"
const small = "/slots/7"

/** Opens an application. Without options it offers gzip. */
const open = Effect.fnUntraced(function*(options: Partial<ApplicationOptions> = {}) {
  const { measured, stats } = cacheStats()
  const context = yield* measured(Layer.build(Layer.fresh(application(options))))
  const { handle } = Context.get(context, Application)
  const ask = (url: string, headers: { readonly [name: string]: string } = {}, method = "GET") =>
    handle({ method, url, headers })
  return { ask, stats }
})

const gzip = { "accept-encoding": "gzip" }
const bytesOf = (answer: HttpAnswer) => Buffer.from(bodyOf(answer))
const tagOf = ({ headers }: HttpAnswer) => headers.etag!

/** The coding gzip, which waits for `gate` and counts its runs. */
const gated = (gate: Deferred.Deferred<void>) => {
  const runs = { count: 0 }
  const coding: ContentCoding = {
    name: "gzip",
    compress: async (body) => {
      runs.count++
      await Effect.runPromise(Deferred.await(gate))
      return gzipCoding.compress(body)
    }
  }
  return { coding, runs }
}

describe("compression", () => {
  it.effect("changes the body, its length, its coding and its tag, and nothing else", () =>
    Effect.gen(function*() {
      const { ask } = yield* open()
      const plain = yield* ask(large)
      for (const round of ["computed", "cached"]) {
        const coded = yield* ask(large, gzip)
        assert.deepStrictEqual(gunzipSync(bytesOf(coded)), bytesOf(plain), round)
        assert.deepStrictEqual(coded.headers, {
          ...plain.headers,
          "etag": `${tagOf(plain).slice(0, -1)}+gzip"`,
          "content-encoding": "gzip",
          "content-length": String(bytesOf(coded).length)
        })
        assert.strictEqual(coded.status, 200)
      }
      assert.strictEqual(plain.headers.vary, "Api-Revision, Accept-Encoding")
      assert.strictEqual(plain.headers["content-encoding"], undefined)
    }))

  it.effect("is skipped below the minimum size, unless the client refuses the plain body", () =>
    Effect.gen(function*() {
      const { ask } = yield* open()
      const plain = yield* ask(small)
      assert.deepStrictEqual(yield* ask(small, gzip), plain)
      const coded = yield* ask(small, { "accept-encoding": "gzip, identity;q=0" })
      assert.strictEqual(coded.headers["content-encoding"], "gzip")
      assert.deepStrictEqual(gunzipSync(bytesOf(coded)), bytesOf(plain))
      assert.deepStrictEqual(yield* ask(small, gzip), plain)
      const { ask: askEager } = yield* open({ compression: { codings: [gzipCoding], bytesMin: 0 } })
      assert.strictEqual((yield* askEager(small, gzip)).headers["content-encoding"], "gzip")
    }))

  it.effect("can be disabled", () =>
    Effect.gen(function*() {
      const { ask } = yield* open({ compression: false })
      const plain = yield* ask(large)
      assert.deepStrictEqual(yield* ask(large, gzip), plain)
      assert.strictEqual(plain.headers.vary, "Api-Revision")
    }))

  it.effect("leaves refusals, redirects and posts as they are", () =>
    Effect.gen(function*() {
      const { ask } = yield* open({ compression: { codings: [gzipCoding], bytesMin: 0 } })
      for (
        const [url, headers, method] of [
          ["/tokens?limit=0", gzip, "GET"],
          ["/nowhere", gzip, "GET"],
          ["/", { ...gzip, accept: "text/html" }, "GET"],
          ["/tokens", gzip, "POST"],
          ["/tokens", gzip, "OPTIONS"]
        ] as const
      ) {
        const answer = yield* ask(url, headers, method)
        assert.notStrictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["content-encoding"], undefined, url)
        assert.include(answer.headers.vary, "Accept-Encoding")
      }
    }))

  it.effect("HEAD has the headers of GET", () =>
    Effect.gen(function*() {
      const { ask } = yield* open()
      const head = yield* ask(large, gzip, "HEAD")
      assert.deepStrictEqual(head.headers, (yield* ask(large, gzip)).headers)
      assert.strictEqual(head.body, "")
    }))

  it.effect("compresses the documentation and the OpenAPI document too", () =>
    Effect.gen(function*() {
      const { ask } = yield* open()
      for (const url of ["/docs", "/openapi.json"]) {
        const [coded, plain] = [yield* ask(url, gzip), yield* ask(url)]
        assert.deepStrictEqual(gunzipSync(bytesOf(coded)), bytesOf(plain))
        assert.strictEqual(coded.headers["content-type"], plain.headers["content-type"])
      }
    }))

  for (const answersBytesMax of [undefined, 0]) {
    const options = answersBytesMax === undefined ? {} : { answersBytesMax }
    it.effect(`a 304 names the tag of a coding that the client accepts${answersBytesMax === 0 ? ", also without a cache" : ""}`, () =>
      Effect.gen(function*() {
        const { ask } = yield* open(options)
        const plain = tagOf(yield* ask(large))
        const coded = tagOf(yield* ask(large, gzip))
        const cases: ReadonlyArray<
          readonly [ifNoneMatch: string, accepted: string, tag: string | null]
        > = [
          [coded, "gzip", coded],
          [`W/${coded}`, "gzip", coded],
          [`"x", ${coded}`, "gzip", coded],
          [`${plain}, ${coded}`, "gzip", coded],
          [`${coded}, ${plain}`, "identity", plain],
          [`${coded}, ${plain}`, "gzip;q=0.1, identity;q=0.2", plain],
          [plain, "gzip", plain],
          [plain, "", plain],
          // the client could not read what a cache in between has
          [coded, "", null],
          [coded, "gzip;q=0", null],
          [plain, "gzip, identity;q=0", null],
          [coded.replace("+gzip", "+br"), "gzip, br", null],
          [coded.replace("+gzip", "+"), "gzip", null],
          [`"x+gzip"`, "gzip", null]
        ]
        for (const [ifNoneMatch, accepted, tag] of cases) {
          const answer = yield* ask(large, {
            "accept-encoding": accepted,
            "if-none-match": ifNoneMatch
          })
          const what = `${ifNoneMatch} for ${JSON.stringify(accepted)}`
          assert.strictEqual(answer.status, tag === null ? 200 : 304, what)
          if (tag === null) continue
          assert.strictEqual(tagOf(answer), tag, what)
          assert.strictEqual(answer.headers["content-encoding"], undefined)
          assert.strictEqual(answer.headers.vary, "Api-Revision, Accept-Encoding")
        }
        assert.strictEqual((yield* ask(large, { ...gzip, "if-none-match": "*" })).status, 304)
      }))
  }

  it.effect("a cached answer is compressed once, also for concurrent requests", () =>
    Effect.gen(function*() {
      const gate = Deferred.makeUnsafe<void>()
      const { coding, runs } = gated(gate)
      const { ask, stats } = yield* open({ compression: { codings: [coding] } })
      yield* ask(large)
      const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask(large, gzip)))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of fibers) {
        assert.strictEqual((yield* Fiber.join(fiber)).headers["content-encoding"], "gzip")
      }
      yield* ask(large, gzip)
      assert.strictEqual(runs.count, 1)
      assert.deepStrictEqual(stats().gzip, { sent: 4, compressed: 1 })
    }))

  it.effect("a client that disconnects does not stop the compression for the others", () =>
    Effect.gen(function*() {
      const gate = Deferred.makeUnsafe<void>()
      const { coding, runs } = gated(gate)
      const { ask } = yield* open({ compression: { codings: [coding] } })
      yield* ask(large)
      const [first, second] = [
        yield* Effect.forkChild(ask(large, gzip)),
        yield* Effect.forkChild(ask(large, gzip))
      ]
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(second)).headers["content-encoding"], "gzip")
      assert.strictEqual(runs.count, 1)
    }))

  it.effect("the bound of the cache includes the compressed bodies", () =>
    Effect.gen(function*() {
      const { ask, stats } = yield* open()
      yield* ask(large)
      const before = stats().bytes
      const body = bytesOf(yield* ask(large, gzip))
      assert.strictEqual(stats().bytes, before + body.length)
      // no space for the compressed body besides the plain one
      const plain = bytesOf(yield* ask(large)).length
      const tight = yield* open({ answersBytesMax: 1500 + large.length + plain + 100 })
      const coded = [yield* tight.ask(large, gzip), yield* tight.ask(large, gzip)]
      assert.deepStrictEqual(coded[0]!.headers, coded[1]!.headers)
      assert.isAtMost(tight.stats().bytes, tight.stats().bytesMax)
      assert.strictEqual(tight.stats().gzip.compressed, 2)
    }))

  it.effect("at most 32 bodies are compressed at a time; further answers are plain", () =>
    Effect.gen(function*() {
      const gate = Deferred.makeUnsafe<void>()
      const { coding, runs } = gated(gate)
      const { ask } = yield* open({ answersBytesMax: 0, compression: { codings: [coding] } })
      const fibers = yield* Effect.forEach(
        Array.from({ length: 32 }),
        () => Effect.forkChild(ask(large, gzip))
      )
      yield* Effect.yieldNow
      assert.strictEqual(runs.count, 32)
      assert.strictEqual((yield* ask(large, gzip)).headers["content-encoding"], undefined)
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of fibers) yield* Fiber.join(fiber)
      assert.strictEqual((yield* ask(large, gzip)).headers["content-encoding"], "gzip")
    }))

  it.effect("an answer is plain if its compression fails", () =>
    Effect.gen(function*() {
      const broken: ContentCoding = {
        name: "gzip",
        compress: () => Promise.reject(new Error("Out of memory"))
      }
      const { ask } = yield* open({ compression: { codings: [broken] } })
      assert.deepStrictEqual(yield* ask(large, gzip), yield* ask(large))
      assert.strictEqual((yield* ask(large, gzip)).headers["content-encoding"], undefined)
    }))
})
