/*
 * Every read is answered or refused: no input makes a 500. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/input.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  listNames,
  queryReader,
  readOperationsOf,
  type Revision,
  revisionList,
  wireContext
} from "../../core/contract/mod.ts"
import { generators, inputGenerators, readSubject } from "../laws/mod.ts"
import { networkOf, optionsOf, runs, seeds, subjectOf, titled } from "./_networks.ts"
import { ask, type Outcome, reading } from "./_reading.ts"

const { choice, listQuery, oneOf } = generators
const { mutated, pathTexts, queryOf, queryText, arbitraryText } = inputGenerators

const sound = (outcome: Outcome, description: string) => {
  assert(
    !("broken" in outcome),
    `${description} is broken: ${"broken" in outcome ? outcome.broken : ""}`
  )
  if ("refused" in outcome) {
    assert.match(outcome.message, /^[A-Z0-9].*[^.]$/su, `The refusal of ${description}`)
  } else assert.doesNotThrow(() => JSON.parse(outcome.json), description)
}

for (const seed of seeds.slice(0, 2)) {
  describe(titled(seed, "test/properties/input.test.ts"), () => {
    const { genesis, records } = networkOf(optionsOf(seed), 200)
    const { network } = genesis
    const setUp = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
      const { facts, reader } = yield* readSubject(subjectOf({ genesis, records }, seed))
      return { facts, faces: yield* reading({ genesis, reader }) }
    }))))

    for (const [id, operation] of new Map(revisionList.flatMap(readOperationsOf))) {
      it.effect(`${id} answers or refuses every path and query`, () =>
        Effect.gen(function*() {
          const { faces, facts } = yield* setUp
          const paths = pathTexts(facts, operation, network)
          const anyPath = Arbitrary.flatMap(
            paths,
            (path) =>
              Arbitrary.all(
                path.map((text) =>
                  choice([
                    Arbitrary.Constant(text),
                    mutated(Arbitrary.Constant(text)),
                    arbitraryText
                  ])
                )
              )
          )
          for (const revision of revisionList) {
            if (!readOperationsOf(revision).some(([other]) => other === id)) continue
            const texts = queryOf(facts, operation, revision, network)
            const inputs = Arbitrary.all({
              path: anyPath,
              query: choice([texts, mutated(texts), mutated(texts), arbitraryText])
            })
            const result = yield* Arbitrary.checkEffect(
              inputs,
              ({ path, query }) =>
                Effect.as(
                  Effect.map(ask(faces[revision.name as "later"], id, path, query), (outcome) =>
                    sound(
                      outcome,
                      `${revision.name} ${id} ${JSON.stringify(path)} ?${JSON.stringify(query)}`
                    )),
                  true
                ),
              { seed, runs }
            )
            assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
          }
        }))
    }

    for (const list of listNames) {
      it.effect(`a query of ${list} in a revision reads back as it was written, with its parameters in any order`, () =>
        Effect.gen(function*() {
          const { facts } = yield* setUp
          const inputs = Arbitrary.all({
            query: listQuery(facts, list),
            revision: oneOf<Revision>(revisionList),
            turned: oneOf([true, false])
          })
          const result = yield* Arbitrary.checkEffect(inputs, ({ query, revision, turned }) => {
            const text = queryText(list, revision, network, query)
            // the later revisions require at least one filter of bids
            if (
              text === undefined ||
              (list === "bids" && !revision.unrestricted.includes("bids") &&
                Object.keys(query.filters).length === 0)
            ) return true
            const read = queryReader(list, revision, wireContext(network, keccak256), revisionList)(
              turned ? text.split("&").reverse().join("&") : text
            )
            const preset = revision.presets?.[list] ?? {}
            assert.deepStrictEqual(Result.getOrThrow(read), {
              ...query,
              filters: { ...preset, ...query.filters }
            })
            return true
          }, { seed, runs })
          assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
        }))
    }
  })
}
