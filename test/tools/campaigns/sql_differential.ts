/*
 * Compares the PostgreSQL stores with the memory stores on one random network after another:
 *
 *     node test/tools/campaigns/sql_differential.ts --answers 1000000 [--seed 1000]
 *
 * Prints each seed before its run; a difference ends the campaign with both responses. RESULTS.md
 * has the last result.
 */
import { Effect } from "effect"
import { parseArgs } from "node:util"
import { today } from "../../bench/_servers.ts"
import { startCluster } from "../../postgres/cluster.ts"
import { marketOf } from "../../properties/_market.ts"
import { crowdedOptionsOf, networkOf, optionsOf } from "../../properties/_networks.ts"
import { compareStores } from "../../sql/differential/_differential.ts"
import { openMemoryStores, openSqlStores } from "../../sql/differential/_stores.ts"

const { values } = parseArgs({
  options: {
    answers: { type: "string", default: "1000000" },
    seed: { type: "string", default: "1000" }
  }
})
const wanted = Number(values.answers)
const started = performance.now()
const cluster = await startCluster({ durable: false })
let [compared, networks] = [0, 0]
try {
  for (let number = Number(values.seed); compared < wanted; number++) {
    const seed = String(number)
    const network = [
      () => networkOf(optionsOf(seed), 300),
      () => networkOf(crowdedOptionsOf(seed), 1500),
      () => marketOf(seed, 200)
    ][number % 3]!()
    const { genesis, records } = network
    const url = await cluster.createDatabase()
    compared += await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
      return yield* compareStores(
        yield* openMemoryStores(genesis),
        yield* openSqlStores(url, genesis),
        {
          genesis,
          records,
          seed,
          stride: Math.ceil(records.length / 20),
          requests: 1000
        }
      )
    })))
    networks++
    console.log(
      `seed ${seed}: ${compared} answers of ${networks} networks were compared, ${
        Math.round(compared / (performance.now() - started) * 1000)
      } a second`
    )
  }
  console.log(
    `${today}: ${compared} answers of ${networks} networks from seed ${values.seed} on, no difference, ${
      Math.round((performance.now() - started) / 1000)
    } s`
  )
} finally {
  await cluster.remove()
}
