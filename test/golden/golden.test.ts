/*
 * The answers of a recorded network, byte for byte. A failure shows the first request whose answer
 * has changed; if the change is intended, `write_golden.ts` writes the files again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { rounds } from "../rounds.ts"
import { ask, goldenFile, LAST_STEP, mounts, prefixes, requestOf } from "./_golden.ts"
import { openNetwork } from "./_network.ts"

describe("A recorded network", () => {
  for (const prefix of prefixes.slice(0, rounds({ short: 1, long: 2 }))) {
    it.effect(`is shown as the golden files of prefix ${prefix} say`, () =>
      Effect.scoped(Effect.gen(function*() {
        const network = yield* openNetwork(prefix)
        const golden = mounts.map(({ name }) =>
          readFileSync(goldenFile(name, prefix), "utf8").trimEnd().split(`\n\n${LAST_STEP}\n\n`)
        )
        const compare = Effect.fnUntraced(function*(text: string) {
          for (const expected of text.split("\n\n")) {
            const { text } = yield* ask(network, requestOf(expected))
            assert.strictEqual(text, expected)
          }
        })
        for (const [before] of golden) yield* compare(before!)
        yield* network.takeLastStep
        for (const [, after] of golden) yield* compare(after!)
      })))
  }
})
