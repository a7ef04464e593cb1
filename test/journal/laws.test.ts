/*
 * The laws of stores, for journaled stores. After each law the directory is opened again and must
 * have the same content. To replay one network:
 *
 *     SEED=123 npm test -- test/journal/laws.test.ts
 */
import { describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import {
  answerLaws,
  applyAll,
  historyLaws,
  type HistorySubject,
  ledgerLaws,
  pagingLaws,
  poolLaws,
  poolStoreLaws,
  type PoolSubject,
  readSubject,
  withGaps
} from "../laws/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { withHeads } from "../properties/_heads.ts"
import { crowdedOptionsOf, optionsOf, seeds, titled } from "../properties/_networks.ts"
import { strippedBlock, strippedSubject } from "../derived/_stripped.ts"
import { rounds } from "../rounds.ts"
import {
  type JournaledStores,
  ledgerOver,
  openStores,
  reopenedStores,
  temporaryDirectory
} from "./_directories.ts"

const file = "test/journal/laws.test.ts"

/** Opens stores and the ledger use case over them. */
const openLedger = <E>(
  genesis: GenesisFeed,
  open: Effect.Effect<JournaledStores, E, Scope.Scope>
) =>
  Effect.gen(function*() {
    const stores = yield* open
    const { history, reader } = stores
    return { reader, history, ledger: yield* ledgerOver(genesis, stores) }
  })

/** Stores that write checkpoints, the last of which are read after each law. */
const checkpointed = { checkpointPeriod: 5 }

const ledgersOf = (seed: string) => {
  const simulation = simulate({ ...optionsOf(seed), placeholderRoots: true })
  const { genesis } = simulation
  const plain: HistorySubject = {
    genesis,
    keccak256,
    seed,
    runs: rounds({ short: 1, long: 4 }),
    records: [...withHeads(initialHistory(simulation, rounds({ short: 120, long: 250 })))],
    open: openLedger(genesis, reopenedStores(genesis))
  }
  const withCheckpoints: HistorySubject = {
    ...plain,
    open: openLedger(genesis, reopenedStores(genesis, checkpointed))
  }
  const gapped: HistorySubject = {
    ...withCheckpoints,
    records: withGaps(genesis, plain.records, seed)
  }
  return { plain, withCheckpoints, gapped }
}

const poolOf = (seed: string, options?: typeof checkpointed): PoolSubject => {
  const { genesis } = simulate({ ...optionsOf(seed), placeholderRoots: true })
  return {
    genesis,
    keccak256,
    open: reopenedStores(genesis, options),
    seed,
    runs: rounds({ short: 1, long: 8 })
  }
}

const obeysTheLaws = (subject: HistorySubject) => {
  for (const law of [...ledgerLaws, ...historyLaws]) it.live(law.name, () => law.run(subject))
}

const isAPool = (subject: PoolSubject) => {
  for (const law of [...poolStoreLaws, ...poolLaws]) it.live(law.name, () => law.run(subject))
}

for (const seed of seeds) {
  const { gapped, plain, withCheckpoints } = ledgersOf(seed)
  describe(`the journaled ledger, with checkpoints and gaps, ${titled(seed, file)}`, () =>
    obeysTheLaws(gapped))
  describe(`the journaled pool, with checkpoints, ${titled(seed, file)}`, () =>
    isAPool(poolOf(seed, checkpointed)))
  // the variants above meet everything that these meet
  if (rounds({ short: false, long: true })) {
    describe(`the journaled ledger ${titled(seed, file)}`, () => obeysTheLaws(plain))
    describe(`the journaled ledger, with checkpoints, ${titled(seed, file)}`, () =>
      obeysTheLaws(withCheckpoints))
    describe(`the journaled pool ${titled(seed, file)}`, () => isAPool(poolOf(seed)))
  }
}

for (const seed of seeds.slice(0, 1)) {
  const { withCheckpoints } = ledgersOf(seed)
  describe(`the journaled ledger, if the feed leaves out what it derives, ${titled(seed, file)}`, () => {
    // the first one compares every answer with the naive model
    for (const law of ledgerLaws.slice(0, rounds({ short: 1, long: Infinity }))) {
      it.live(law.name, () => law.run(strippedSubject(withCheckpoints, strippedBlock)))
    }
  })
  describe(`a journal that is opened again, ${titled(seed, file)}`, () => {
    it.live("obeys the laws of answers and pages, also for later writes", () =>
      Effect.scoped(Effect.gen(function*() {
        // long enough to split lists of the filter index, which a replay does in bulk
        const crowded = simulate({ ...crowdedOptionsOf(seed), placeholderRoots: true })
        const { genesis } = crowded
        const records = [...withHeads(initialHistory(crowded, 1500))]
        const directory = yield* temporaryDirectory
        const half = records.length >> 1
        yield* Effect.scoped(
          Effect.flatMap(
            openLedger(genesis, openStores(directory, genesis)),
            ({ ledger }) => applyAll(ledger, records.slice(0, half))
          )
        )
        const restarted = Effect.tap(
          openLedger(genesis, openStores(directory, genesis)),
          ({ ledger }) => applyAll(ledger, records.slice(half))
        )
        // the stores contain all records, so the subject does not apply them again
        const subject = yield* readSubject({
          ...withCheckpoints,
          genesis,
          records,
          runs: rounds({ short: 5, long: 20 }),
          open: Effect.map(Effect.orDie(restarted), ({ ledger, reader }) => ({
            reader,
            ledger: { ...ledger, applyRecord: () => Effect.succeed({ kind: "genesis" } as const) }
          }))
        })
        for (const law of [...answerLaws, ...pagingLaws]) yield* law.run(subject)
      })))
  })
}
