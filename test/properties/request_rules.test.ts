/*
 * How each revision reads unknown and repeated parameters: what it ignores changes no byte of an
 * answer, and the rest is refused. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/request_rules.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application } from "../../adapters/http/mod.ts"
import { openMemoryPool } from "../../adapters/memory/mod.ts"
import { lists, revisionList, wireContext } from "../../core/contract/mod.ts"
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
          Layer.provide(Layer.mergeAll(
            Layer.succeed(LedgerReader, reader),
            Layer.succeed(PoolStore, openMemoryPool()),
            Layer.mock(Submission, {})
          ))
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

    for (const revision of revisionList) {
      const { closedLists, repeatedParameters, unknownParameters } = revision.requestRules
      const mount = revision.path === "/" ? "" : revision.path
      const isClosed = (url: string) =>
        closedLists.some((list) => url.split("?")[0] === `/${lists[list].itemsProperty}`)
      it.effect(`unknown parameters are ${unknownParameters}, and repeated ones are ${repeatedParameters}, in every operation of ${revision.name}`, () =>
        Effect.gen(function*() {
          const { answerTo, facts } = yield* setUp
          const inputs = Arbitrary.all({
            url: operationUrl(facts, revision, network),
            pairs: oneOf(unknownPairs),
            later: oneOf(laterValues),
            repeated: integer(0, 3),
            isBefore: oneOf([true, false])
          })
          const result = yield* Arbitrary.checkEffect(
            inputs,
            ({ isBefore, later, pairs, repeated, url }) =>
              Effect.gen(function*() {
                const plain = yield* answerTo(`${mount}${url}`)
                const expect = (rule: "refused" | "ignored", more: string) =>
                  Effect.map(answerTo(more), (answer) => {
                    if (rule === "ignored") assert.strictEqual(answer, plain, more)
                    // the answer of the configuration has no status for bad input
                    else if (url !== "/config") assert.match(answer, /^400 /u, more)
                  })
                // a parameter that only this list of this revision has
                const isKnown = pairs.startsWith("maxSlothNum") && url.startsWith("/slots") &&
                  revision.name === "earlier"
                if (pairs !== "&&" && !isKnown) {
                  yield* expect(
                    isClosed(url) ? "refused" : unknownParameters,
                    withPairs(`${mount}${url}`, pairs, isBefore)
                  )
                }
                const names = namesIn(url)
                if (url.includes("?")) {
                  const again = `${names[repeated % names.length]}${later}`
                  yield* expect(repeatedParameters, withPairs(`${mount}${url}`, again, false))
                }
                return true
              }),
            { seed, runs: runs * 6 }
          )
          assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
        }))
    }
  })
}
