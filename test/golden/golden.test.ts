/*
 * The answers of a recorded network in all revisions, byte for byte. A failure shows the first request
 * that has changed; if the change is intended, `write_golden.ts` writes the files again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { revisionList } from "../../core/contract/mod.ts"
import { rounds } from "../rounds.ts"
import { ask, prefixes, readGolden, requestOf } from "./_golden.ts"
import { openNetwork } from "./_network.ts"

describe("A recorded network", () => {
  for (const prefix of prefixes.slice(0, rounds({ short: 1, long: 2 }))) {
    it.effect(`is shown as the golden files of prefix ${prefix} say`, () =>
      Effect.scoped(Effect.gen(function*() {
        const network = yield* openNetwork(prefix)
        const golden = revisionList.map(({ name }) => readGolden(name, prefix))
        const compare = Effect.fnUntraced(function*(expected: string) {
          const { text } = yield* ask(network, requestOf(expected))
          assert.strictEqual(text, expected)
        })
        yield* Effect.forEach(golden.flatMap(([before]) => before!), compare)
        yield* network.takeLastStep
        yield* Effect.forEach(golden.flatMap(([, after]) => after!), compare)
      })))
  }
})
