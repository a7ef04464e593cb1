import { describe, it } from "@effect/vitest"
import { poolLaws, poolStoreLaws } from "../laws/mod.ts"
import { withoutStacks } from "../properties/without_stacks.ts"
import { replayOf, rounds } from "../rounds.ts"
import { seed, subjectOf } from "./_subject.ts"

/** The share of `npm test` is enough to find the faults of `laws_have_teeth.test.ts`. */
const runsOf = (share: { readonly short: number; readonly long: number }) =>
  Number(process.env.RUNS ?? rounds(share))
const storeRuns = runsOf({ short: 15, long: 150 })
const runs = runsOf({ short: 6, long: 150 })
const replay = replayOf(seed, "test/pool/pool_laws.test.ts")

withoutStacks()

describe(`the pool store in memory (replay: ${replay})`, () => {
  for (const law of poolStoreLaws) {
    it.live(law.name, () => law.run(subjectOf(seed, storeRuns)))
  }
})

describe(`the pool and the ledger in memory (replay: ${replay})`, () => {
  for (const law of poolLaws) it.live(law.name, () => law.run(subjectOf(seed, runs)))
})
