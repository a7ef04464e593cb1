import { describe, it } from "@effect/vitest"
import { poolLaws } from "../laws/mod.ts"
import { withoutStacks } from "../properties/without_stacks.ts"
import { replayOf, rounds } from "../rounds.ts"
import { seed, subjectOf } from "./_subject.ts"

/** For each law. */
const runs = Number(process.env.RUNS ?? rounds({ short: 30, long: 150 }))

withoutStacks()

describe(`the pool and the ledger in memory (replay: ${replayOf(seed, "test/pool/pool_laws.test.ts")})`, () => {
  for (const law of poolLaws) it.live(law.name, () => law.run(subjectOf(seed, runs)))
})
