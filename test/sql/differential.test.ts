/*
 * The stores over PostgreSQL and those in memory, side by side: every outcome of a port and every answer over HTTP is the same. Replay with
 *
 *     SEED=123 npm test -- test/sql/differential.test.ts
 *
 * `node test/sql/differential_campaign.ts --answers 1000000` compares millions.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { poolLaws } from "../laws/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { freshDatabase, freshSchema } from "../postgres/mod.ts"
import { crowdedOptionsOf, type Network, networkOf, optionsOf } from "../properties/_networks.ts"
import { marketOf } from "../properties/_market.ts"
import { compareStores } from "./_differential.ts"
import { type Agreement, mirrored } from "./_mirrored.ts"
import { openMemoryStores, openSqlStores } from "./_stores.ts"

const seed = process.env.SEED ?? "1"
const networks: ReadonlyArray<readonly [name: string, network: () => Network, stride: number, answersMin: number]> = [
  ["a small network with rollbacks", () => networkOf(optionsOf(seed), 300), 8, 7000],
  ["a crowded network, where lists are long", () => networkOf(crowdedOptionsOf(seed), 1500), 5, 7000],
  ["a network that bids", () => marketOf(seed, 200), 40, 6000]
]

describe(`PostgreSQL and memory (replay: SEED=${seed} npm test -- test/sql/differential.test.ts)`, () => {
  for (const [name, network, stride, answersMin] of networks) {
    it.effect(`answer alike: ${name}`, () => Effect.gen(function*() {
      const { genesis, records } = network()
      const { url } = yield* Effect.promise(freshDatabase)
      const stops = Math.floor(records.length / stride) + 1
      const answers = yield* compareStores(yield* openMemoryStores(genesis), yield* openSqlStores(url, genesis), {
        genesis, records, seed, stride, requests: Math.ceil(answersMin / stops)
      })
      assert.isAtLeast(answers, answersMin)
    }), 120_000)
  }

  for (const law of poolLaws) {
    it.effect(`agree while ${law.name}`, () => Effect.gen(function*() {
      const { genesis } = networkOf(optionsOf(seed), 0)
      const { url } = yield* Effect.promise(freshDatabase)
      const agreement: Agreement = { answers: 0 }
      yield* law.run({
        genesis, keccak256, seed, runs: 3,
        open: Effect.gen(function*() {
          const place = yield* Effect.promise(() => freshSchema(url))
          return mirrored(yield* openMemoryStores(genesis), yield* Effect.orDie(openSqlStores(place.url, genesis)), agreement)
        })
      })
      assert.isAbove(agreement.answers, 0)
    }), 120_000)
  }
})
