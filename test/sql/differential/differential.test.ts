/*
 * Compares the PostgreSQL stores with the memory stores: every result of a port and every response
 * over HTTP is the same. To replay:
 *
 *     SEED=123 npm test -- test/sql/differential/differential.test.ts
 *
 * `node test/tools/campaigns/sql_differential.ts --answers 1000000` compares millions.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  crowdedOptionsOf,
  gappedNetworkOf,
  type Network,
  networkOf,
  optionsOf
} from "../../properties/_networks.ts"
import { marketOf } from "../../properties/_market.ts"
import { replayOf, rounds } from "../../rounds.ts"
import { compareStores } from "./_differential.ts"
import { migratedDatabase } from "../_migrated_database.ts"
import { openMemoryStores, openSqlStores } from "./_stores.ts"

const seed = process.env.SEED ?? "1"
const networks: ReadonlyArray<
  readonly [name: string, network: () => Network, stride: number, answersMin: number]
> = [
  [
    "a small network with rollbacks",
    () => networkOf(optionsOf(seed), rounds({ short: 150, long: 300 })),
    8,
    rounds({ short: 2000, long: 7000 })
  ],
  [
    "a small network with rollbacks whose feed leaves out empty blocks",
    () => gappedNetworkOf(optionsOf(seed), rounds({ short: 100, long: 300 })),
    8,
    rounds({ short: 1200, long: 7000 })
  ],
  [
    "a crowded network, where lists are long",
    () => networkOf(crowdedOptionsOf(seed), 1500),
    5,
    5600
  ],
  ["a network that bids", () => marketOf(seed, 200), 40, 6000]
]
const played = rounds({ short: networks.slice(0, 2), long: networks })

describe(`PostgreSQL and memory (replay: ${replayOf(seed, "test/sql/differential/differential.test.ts")})`, () => {
  for (const [name, network, stride, answersMin] of played) {
    it.effect(`give the same answers: ${name}`, () =>
      Effect.gen(function*() {
        const { genesis, records } = network()
        const { url } = yield* Effect.promise(migratedDatabase)
        const stops = Math.floor(records.length / stride) + 1
        const answers = yield* compareStores(
          yield* openMemoryStores(genesis),
          yield* openSqlStores(url, genesis),
          {
            genesis,
            records,
            seed,
            stride,
            requests: Math.ceil(0.74 * answersMin / stops)
          }
        )
        assert.isAtLeast(answers, answersMin)
      }))
  }
})
