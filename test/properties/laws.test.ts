/*
 * The laws of every store, on the one in memory. Replay one network with
 *
 *     SEED=123 npm test -- test/properties/laws.test.ts
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerLaws, ledgerLaws, pagingLaws, readSubject } from "../laws/mod.ts"
import { networkOf, optionsOf, runs, seeds, subjectOf, titled } from "./_networks.ts"

const file = "test/properties/laws.test.ts"

for (const seed of seeds) {
  describe(titled(seed, file), () => {
    const subject = subjectOf(networkOf(optionsOf(seed), 500), seed)
    // memory has nothing to close
    const reading = Effect.runSync(Effect.cached(Effect.scoped(readSubject(subject))))
    const few = { ...subject, runs: Math.ceil(runs / 10) }
    for (const law of ledgerLaws) it.effect(law.name, () => law.run(few))
    for (const law of [...answerLaws, ...pagingLaws]) {
      it.effect(law.name, () => Effect.flatMap(reading, law.run))
    }
  })
}
