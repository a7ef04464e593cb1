/*
 * The laws of every store, on the PostgreSQL store. To replay one network:
 *
 *     SEED=123 npm test -- test/sql/ledger/laws.test.ts
 */
import { describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import { Effect, Scope } from "effect"
import {
  answerLaws,
  historyLaws,
  ledgerLaws,
  pagingLaws,
  type ReadSubject,
  readSubject
} from "../../laws/mod.ts"
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
} from "../../properties/_networks.ts"
import { strippedBlock, strippedSubject } from "../../derived/_stripped.ts"
import { rounds } from "../../rounds.ts"
import { marketOf } from "../../properties/_market.ts"
import { emptyLedgersOfFile } from "../_empty_ledgers.ts"

const file = "test/sql/ledger/laws.test.ts"
const { open: openEmptyLedger, scope } = emptyLedgersOfFile()

/**
 * Laws of writing open their own ledgers and write each block by itself, so they get a short
 * network.
 */
const obeysTheLaws = (
  network: Network,
  seed: string,
  kinds: { readonly writing: boolean; readonly stripped?: boolean }
) => {
  const open = openEmptyLedger(network.genesis)
  const full = {
    ...subjectOf(network, seed),
    open,
    runs: Math.ceil(runs / (kinds.writing ? 20 : 4))
  }
  const subject = kinds.stripped === true ? strippedSubject(full, strippedBlock) : full
  let reading: ReadSubject
  if (!kinds.writing) {
    beforeAll(
      async () =>
        void (reading = await Effect.runPromise(Scope.provide(readSubject(subject), scope))),
      60_000
    )
  }
  // of a stripped feed `npm test` runs the one that compares every answer with the naive model
  const writingLaws = kinds.stripped
    ? ledgerLaws.slice(0, rounds({ short: 1, long: Infinity }))
    : ledgerLaws
  for (const law of kinds.writing ? writingLaws : []) {
    it.effect(law.name, () => law.run(subject), 60_000)
  }
  for (const law of kinds.writing ? [] : [...answerLaws, ...pagingLaws]) {
    it.effect(law.name, () => law.run(reading), 60_000)
  }
}

/** The laws of the history, which read all blocks before and after each rollback. */
const hasHistory = (network: Network, seed: string) => {
  const subject = subjectOf(network, seed)
  const open = openEmptyLedger(network.genesis)
  for (const law of historyLaws) {
    it.effect(law.name, () => law.run({ ...subject, open, runs: Math.ceil(runs / 20) }), 60_000)
  }
}

for (const seed of seeds) {
  describe(`history with gaps ${titled(seed, file)}`, () =>
    hasHistory(gappedNetworkOf(optionsOf(seed), 60), seed))
  describe(`writing gaps ${titled(seed, file)}`, () =>
    obeysTheLaws(gappedNetworkOf(optionsOf(seed), 60), seed, { writing: true }))
  describe(`gaps ${titled(seed, file)}`, () =>
    obeysTheLaws(gappedNetworkOf(optionsOf(seed), 150), seed, { writing: false }))
}

for (const seed of seeds.slice(0, 1)) {
  describe(`writing stripped ${titled(seed, file)}`, () =>
    obeysTheLaws(networkOf(optionsOf(seed), 40), seed, { writing: true, stripped: true }))
  describe(`market ${titled(seed, file)}`, () =>
    obeysTheLaws(marketOf(seed, 150), seed, { writing: false }))
}

// the networks without gaps have nothing that those above lack, and the market can be written too
for (const seed of rounds({ short: [], long: seeds.slice(0, 1) })) {
  describe(`history ${titled(seed, file)}`, () => hasHistory(networkOf(optionsOf(seed), 60), seed))
  describe(`writing ${titled(seed, file)}`, () =>
    obeysTheLaws(networkOf(optionsOf(seed), 60), seed, { writing: true }))
  describe(
    titled(seed, file),
    () => obeysTheLaws(networkOf(optionsOf(seed), 200), seed, { writing: false })
  )
  describe(`writing market ${titled(seed, file)}`, () =>
    obeysTheLaws(marketOf(seed, 40), seed, { writing: true }))
  describe(`crowded ${titled(seed, file)}`, () =>
    obeysTheLaws(networkOf(crowdedOptionsOf(seed), 1000), seed, { writing: false }))
}
