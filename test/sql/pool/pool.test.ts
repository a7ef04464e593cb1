import { describe, it } from "@effect/vitest"
import { poolLaws, poolStoreLaws } from "../../laws/mod.ts"
import { poolDatabase, subjectOf } from "../_pool_subject.ts"
import { rounds } from "../../rounds.ts"

const seed = process.env.SEED ?? "1"
const runs = Number(process.env.RUNS ?? 1)
const testDatabase = poolDatabase()

describe(`the pool over PostgreSQL (replay: SEED=${seed} npm test -- test/sql/pool/pool.test.ts)`, () => {
  for (const law of poolStoreLaws) {
    it.live(law.name, () => law.run(subjectOf(testDatabase.services, seed, 3 * runs)))
  }
  // `differential/pool.test.ts` also runs them over PostgreSQL, but one call at a time
  const isConcurrent = ({ name }: { readonly name: string }) => name.startsWith("concurrent")
  for (const law of rounds({ short: poolLaws.filter(isConcurrent), long: poolLaws })) {
    it.live(law.name, () => law.run(subjectOf(testDatabase.services, seed, runs)))
  }
})
