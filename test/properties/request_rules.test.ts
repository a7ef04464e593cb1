/*
 * How the revisions read requests: what `v1` ignores changes no byte of an answer, and the other
 * revisions refuse it. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/request_rules.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application } from "../../adapters/http/mod.ts"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { earlier, later, type Revision, v1, wireContext } from "../../core/contract/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Submission } from "../../core/use_cases/mod.ts"
import { generators, inputGenerators, readSubject } from "../laws/mod.ts"
import { networkOf, optionsOf, runs, seeds, subjectOf, titled } from "./_networks.ts"

const { integer, oneOf } = generators
const { operationUrl } = inputGenerators

/** Pairs that no operation knows; some of them cannot be decoded. */
const unknownPairs = [
  "unknown=1",
  "unknown",
  "unknown=1&unknown=2",
  "LIMIT=1",
  "limitt=5000",
  "__proto__=1",
  "constructor=",
  "=1",
  "a%ffb=1",
  "%zz",
  "maxSlothNum=0",
  "onlyLatest=false",
  "&&"
]
/** Later values of a parameter that occurred before, valid ones and others. */
const laterValues = ["", "=", "=0", "=1", "=x", "=%ff", "=true", "=ASC"]

/** Returns the URL with more pairs before or after those of its query. */
const withPairs = (url: string, pairs: string, isBefore: boolean): string => {
  const [path, query] = url.split("?")
  return `${path}?${
    query === undefined ? pairs : isBefore ? `${pairs}&${query}` : `${query}&${pairs}`
  }`
}
const namesIn = (url: string): ReadonlyArray<string> =>
  (url.split("?")[1] ?? "").split("&").map((pair) => pair.split("=")[0]!)
const isOpenList = (url: string): boolean => url.split("?")[0] !== "/accounts"

for (const seed of seeds.slice(0, 2)) {
  describe(titled(seed, "test/properties/request_rules.test.ts"), () => {
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
      const { handle } = Context.get(services, Application)
      /** Returns status and body, without the URL that a problem repeats. */
      const answerTo = (url: string) =>
        Effect.map(handle({ method: "GET", url, headers: {} }), ({ body, status }) => {
          const text = typeof body === "string" ? body : new TextDecoder().decode(body)
          return `${status} ${text.replace(/"instance":"(?:[^"\\]|\\.)*"/u, "")}`
        })
      return { facts, answerTo }
    }))))

    const urlsOf = (revision: Revision) =>
      Effect.map(setUp, ({ facts }) =>
        Arbitrary.all({
          url: operationUrl(facts, revision, network),
          pairs: oneOf(unknownPairs),
          later: oneOf(laterValues),
          repeated: integer(0, 3),
          isBefore: oneOf([true, false])
        }))

    it.effect("an unknown parameter changes no byte of an answer of v1, except of /accounts", () =>
      Effect.gen(function*() {
        const { answerTo } = yield* setUp
        const result = yield* Arbitrary.checkEffect(
          yield* urlsOf(v1),
          ({ isBefore, pairs, url }) =>
            Effect.gen(function*() {
              const more = withPairs(`/v1${url}`, pairs, isBefore)
              const answer = yield* answerTo(more)
              if (isOpenList(url)) assert.strictEqual(answer, yield* answerTo(`/v1${url}`), more)
              else if (pairs !== "&&") assert.match(answer, /^400 /u, more)
              return true
            }),
          { seed, runs: runs * 6 }
        )
        assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
      }))

    it.effect("a repeated parameter changes no byte of an answer of v1", () =>
      Effect.gen(function*() {
        const { answerTo } = yield* setUp
        const result = yield* Arbitrary.checkEffect(
          yield* urlsOf(v1),
          ({ later, repeated, url }) =>
            Effect.gen(function*() {
              const names = namesIn(url)
              const more = withPairs(
                `/v1${url}`,
                `${names[repeated % names.length]}${later}`,
                false
              )
              if (url.includes("?")) {
                assert.strictEqual(yield* answerTo(more), yield* answerTo(`/v1${url}`), more)
              }
              return true
            }),
          { seed, runs: runs * 6 }
        )
        assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
      }))

    for (const [revision, mount] of [[later, ""], [earlier, "/earlier"]] as const) {
      it.effect(`unknown and repeated parameters are refused in every operation of ${revision.name}`, () =>
        Effect.gen(function*() {
          const { answerTo } = yield* setUp
          const result = yield* Arbitrary.checkEffect(
            yield* urlsOf(revision),
            ({ isBefore, later, pairs, repeated, url }) =>
              Effect.gen(function*() {
                // its answer has no status for bad input
                if (url === "/config" || pairs === "&&") return true
                const more = withPairs(`${mount}${url}`, pairs, isBefore)
                const isOfEarlier = revision === earlier && url.startsWith("/slots") &&
                  pairs.startsWith("maxSlothNum")
                if (!isOfEarlier) assert.match(yield* answerTo(more), /^400 /u, more)
                if (!url.includes("?")) return true
                const names = namesIn(url)
                const twice = withPairs(
                  `${mount}${url}`,
                  `${names[repeated % names.length]}${later}`,
                  false
                )
                assert.match(yield* answerTo(twice), /^400 /u, twice)
                return true
              }),
            { seed, runs: runs * 6 }
          )
          assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
        }))
    }
  })
}
