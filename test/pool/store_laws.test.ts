import { describe, it } from "@effect/vitest"
import { poolStoreLaws } from "../laws/mod.ts"
import { seed, subjectOf } from "./_subject.ts"

describe(`the pool store in memory (replay: SEED=${seed} npm test -- test/pool/store_laws.test.ts)`, () => {
  for (const law of poolStoreLaws) it.live(law.name, () => law.run(subjectOf(seed, 150)))
})
