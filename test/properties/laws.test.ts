/*
 * The laws of every store, checked on the memory store. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/laws.test.ts
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  answerLaws,
  historyLaws,
  ledgerLaws,
  type LedgerSubject,
  pagingLaws,
  readSubject
} from "../laws/mod.ts"
import { marketOf } from "./_market.ts"
import { partlyStrippedBlock, strippedBlock, strippedSubject } from "../derived/_stripped.ts"
import { rounds } from "../rounds.ts"
import { withoutStacks } from "./without_stacks.ts"
import {
  crowdedOptionsOf,
  gappedNetworkOf,
  type Network,
  networkOf,
  optionsOf,
  runs,
  seeds,
  subjectOf,
  titled
} from "./_networks.ts"

const file = "test/properties/laws.test.ts"
/** Transactions of a network. */
const size = rounds({ short: 200, long: 400 })

const obeysTheLaws = (
  network: Network,
  seed: string,
  writing: number,
  change: (subject: LedgerSubject) => LedgerSubject = (subject) => subject,
  hasReading = true
) => {
  const subject = change(subjectOf(network, seed))
  // a memory store has nothing to close
  const reading = Effect.runSync(Effect.cached(Effect.scoped(readSubject(subject))))
  for (const law of ledgerLaws) {
    it.effect(law.name, () => law.run({ ...subject, runs: Math.ceil(runs * writing) }))
  }
  for (const law of hasReading ? [...answerLaws, ...pagingLaws] : []) {
    it.effect(law.name, () => Effect.flatMap(reading, law.run))
  }
}

withoutStacks()

/** The laws of the history, on a feed with many rollbacks. */
const hasHistory = (network: Network, seed: string) => {
  const subject = subjectOf(network, seed)
  for (const law of historyLaws) {
    it.effect(law.name, () => law.run({ ...subject, runs: Math.ceil(runs / 10) }))
  }
}

for (const seed of seeds) {
  describe(titled(seed, file), () => obeysTheLaws(networkOf(optionsOf(seed), size), seed, 1 / 10))
}

for (const seed of seeds) {
  describe(`history ${titled(seed, file)}`, () =>
    hasHistory(networkOf(optionsOf(seed), size), seed))
  describe(`history with gaps ${titled(seed, file)}`, () =>
    hasHistory(gappedNetworkOf(optionsOf(seed), size), seed))
}

for (const seed of seeds) {
  describe(`gaps ${titled(seed, file)}`, () =>
    obeysTheLaws(gappedNetworkOf(optionsOf(seed), size), seed, 1 / 10))
}

for (
  const [name, strip] of Object.entries({
    stripped: strippedBlock,
    "partly stripped": partlyStrippedBlock
  })
) {
  for (const seed of seeds.slice(0, 1)) {
    describe(`${name} ${titled(seed, file)}`, () =>
      obeysTheLaws(
        networkOf(optionsOf(seed), size),
        seed,
        1 / 20,
        (subject) => strippedSubject(subject, strip),
        // the laws of writing compare every answer with the naive model
        rounds({ short: false, long: true })
      ))
  }
}

// a few accounts, owners and keys have most of the transactions: a store may index them differently
for (const seed of seeds.slice(0, 1)) {
  describe(`crowded ${titled(seed, file)}`, () =>
    obeysTheLaws(
      networkOf(crowdedOptionsOf(seed), rounds({ short: 1500, long: 2500 })),
      seed,
      1 / 20
    ))
}

for (const seed of seeds.slice(0, 1)) {
  describe(`market ${titled(seed, file)}`, () => obeysTheLaws(marketOf(seed, 300), seed, 1 / 40))
}
