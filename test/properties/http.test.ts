/*
 * No request makes the server fail, and every response is complete: revision, snapshot, and a
 * message. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/http.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application, type HttpRequest } from "../../adapters/http/mod.ts"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { earlier, later, wireContext, v1 } from "../../core/contract/mod.ts"
import type { Network } from "../../core/domain/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Submission } from "../../core/use_cases/mod.ts"
import { type Facts, generators, inputGenerators, readSubject } from "../laws/mod.ts"
import { networkOf, optionsOf, runs, seeds, subjectOf, titled } from "./_networks.ts"

const { choice, oneOf } = generators
const { mutated, operationUrl, arbitraryText } = inputGenerators

for (const seed of seeds.slice(0, 2)) {
  describe(titled(seed, "test/properties/http.test.ts"), () => {
    const { genesis, records } = networkOf(optionsOf(seed), 200)
    const { network } = genesis
    const setUp = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
      const { facts, reader } = yield* readSubject(subjectOf({ genesis, records }, seed))
      const services = yield* Layer.build(
        Application.layer({
          context: wireContext(network, keccak256),
          constants: genesis.constants
        }).pipe(
          Layer.provide(
            Layer.mergeAll(
              Layer.succeed(LedgerReader, reader),
              Layer.succeed(PoolStore, openMemoryPool()),
              Layer.mock(Submission, {})
            )
          )
        )
      )
      return { facts, reader, handle: Context.get(services, Application).handle }
    }))))

    it.effect("no request gets a 500", () =>
      Effect.gen(function*() {
        const { facts, handle, reader } = yield* setUp
        const snapshotId = yield* reader.snapshotId
        const result = yield* Arbitrary.checkEffect(requests(facts, network), (request) =>
          Effect.map(handle(request), ({ body, headers, status }) => {
            const description = JSON.stringify(request)
            const text = typeof body === "string" ? body : new TextDecoder().decode(body)
            assert(status < 500, `${description}: ${status} ${text}`)
            assert.include(["later", "earlier", "v1"], headers["api-revision"], description)
            if (status !== 204) {
              assert.strictEqual(headers["ledger-version"], String(snapshotId.version), description)
            }
            if (status === 405) {
              assert.match(headers["allow"] ?? "", /GET/u, description)
            }
            if (status < 400 || text === "") {
              return true
            }
            const problem = JSON.parse(text) as {
              readonly message: unknown
              readonly status: unknown
              readonly type: unknown
            }
            assert.strictEqual(problem.status, status, description)
            assert.match(String(problem.message), /^[A-Z0-9].*[^.]$/su, description)
            return true
          }), { seed, runs: runs * 12 })
        assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
      }))
  })
}

/**
 * Generates requests for every operation under every mount, valid and mutated, with any method and
 * headers.
 */
function requests(facts: Facts, network: Network): Arbitrary.Arbitrary<HttpRequest> {
  const urls = choice([
    operationUrl(facts, later, network),
    Arbitrary.map(operationUrl(facts, earlier, network), (url) => `/earlier${url}`),
    Arbitrary.map(operationUrl(facts, v1, network), (url) => `/v1${url}`)
  ])
  const others = oneOf([
    "",
    "/",
    "//",
    "*",
    "/docs",
    "/docs/x",
    "/openapi.json",
    "/earlier",
    "/earlier/",
    "/earlier//state",
    "/%2e%2e/state",
    "/../state",
    "/state/",
    "http://other/state"
  ])
  return Arbitrary.map(
    Arbitrary.all([
      choice([
        urls,
        urls,
        mutated(urls),
        Arbitrary.map(arbitraryText, (text) => `/${text}`),
        others
      ]),
      oneOf(["GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "get", "BREW", ""]),
      oneOf([
        "api-revision",
        "content-length",
        "content-type",
        "origin",
        "access-control-request-method",
        "if-none-match",
        "range",
        "__proto__"
      ]),
      choice([
        oneOf([
          "later",
          "earlier",
          "LATER",
          "",
          "*",
          "-1",
          "0",
          "999999999999",
          "GET",
          "text/plain"
        ]),
        arbitraryText
      ]),
      oneOf([true, false])
    ]),
    ([url, method, name, value, withHeader]): HttpRequest => ({
      method,
      url,
      headers: withHeader ? { [name]: value } : {}
    })
  )
}
