import { describe, it } from "@effect/vitest"
import { poolLaws, poolStoreLaws } from "../laws/mod.ts"
import { withoutStacks } from "../properties/without_stacks.ts"
import { replayOf, rounds } from "../rounds.ts"
import { seed, subjectOf } from "./_subject.ts"

/** For each law of the pool. */
const runs = Number(process.env.RUNS ?? rounds({ short: 12, long: 150 }))
const replay = replayOf(seed, "test/pool/pool_laws.test.ts")

withoutStacks()

describe(`the pool store in memory (replay: ${replay})`, () => {
  for (const law of poolStoreLaws) {
    it.live(law.name, () => law.run(subjectOf(seed, Number(process.env.RUNS ?? 150))))
  }
})

describe(`the pool and the ledger in memory (replay: ${replay})`, () => {
  for (const law of poolLaws) it.live(law.name, () => law.run(subjectOf(seed, runs)))
})
