/*
 * Writes many heads into a PostgreSQL that does not wait for its disk, and prints the space that they
 * take; `sql/RESULTS.md` has the last result.
 *
 *     node test/tools/campaigns/sql_heads.ts --heads 1000000
 */
import { Effect, Layer, Redacted } from "effect"
import { parseArgs } from "node:util"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { Ledger } from "../../../core/use_cases/mod.ts"
import { startCluster } from "../../postgres/cluster.ts"
import { execute } from "../../postgres/_statements.ts"

const { values } = parseArgs({ options: { heads: { type: "string", default: "1000000" } } })
const heads = Number(values.heads)

const bytes = async (url: string): Promise<number> => {
  const [row] = await execute(
    url,
    "SELECT sum(pg_relation_size(oid, 'main'))::bigint AS bytes FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace"
  )
  return Number(row!.bytes)
}

const simulation = simulate({ seed: "heads", rollBackPeriodBlocks: 0, placeholderRoots: true })
const { genesis } = simulation
const writing = (url: string) =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const records = [...initialHistory(simulation, 60)]
    yield* Effect.forEach(records, ledger.applyRecord, { discard: true })
    const last = records.findLast(({ kind }) => kind === "block")
    if (last?.kind !== "block") throw new Error("The feed has no block")
    const { hash, number, timestampMs } = last.block
    const before = yield* Effect.promise(() => bytes(url))
    const startMs = Date.now()
    for (let i = 1; i <= heads; i++) {
      const head = number + BigInt(i)
      yield* ledger.setHead({ number: head, hash, timestampMs, chainHead: head + 7n })
      if (i * 10 % heads === 0) {
        const seconds = Math.round((Date.now() - startMs) / 1000)
        const more = (yield* Effect.promise(() => bytes(url))) - before
        console.log(`${i} heads in ${seconds} s: ${more} bytes more`)
      }
    }
    yield* Effect.promise(() => execute(url, "VACUUM FULL ledger"))
    const more = (yield* Effect.promise(() => bytes(url))) - before
    console.log(`After a vacuum: ${more} bytes more`)
  })

const cluster = await startCluster()
try {
  const { url } = cluster
  await execute(url, "ALTER SYSTEM SET synchronous_commit = off")
  await execute(url, "SELECT pg_reload_conf()")
  await Effect.runPromise(
    Effect.scoped(
      Effect.provide(
        writing(url),
        Ledger.layer(genesis, keccak256).pipe(
          Layer.provideMerge(sqlStores({ url: Redacted.make(url), genesis }))
        )
      )
    )
  )
} finally {
  await cluster.remove()
}
