/*
 * The laws of stores, for journaled stores. After each law the directory is opened again and must
 * have the same content. Replay with
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
import { withHeads } from "../properties/_heads.ts"
import { strippedBlock, strippedSubject } from "../derived/_stripped.ts"
import { rounds } from "../rounds.ts"
import {
  type JournaledStores,
  ledgerOver,
  openStores,
  reopenedStores,
  temporaryDirectory
} from "./_directories.ts"

const seed = process.env.SEED ?? "1"

const options = {
  seed,
  users: 16,
  tokens: 4,
  coordinators: 3,
  transactionsPerBlock: 4,
  exitShare: 0.08,
  rollBackPeriodBlocks: 7,
  placeholderRoots: true
}
const simulation = simulate(options)
const { genesis } = simulation

/** Opens stores and the ledger use case over them. */
const openLedger = <E>(open: Effect.Effect<JournaledStores, E, Scope.Scope>) =>
  Effect.gen(function*() {
    const stores = yield* open
    const { history, reader } = stores
    return { reader, history, ledger: yield* ledgerOver(genesis, stores) }
  })

const ledgerSubject: HistorySubject = {
  genesis,
  keccak256,
  seed,
  runs: rounds({ short: 1, long: 4 }),
  records: [...withHeads(initialHistory(simulation, rounds({ short: 120, long: 250 })))],
  open: openLedger(reopenedStores(genesis))
}

/** Long enough to split lists of the filter index, which a replay does in bulk. */
const long = {
  records: [
    ...withHeads(
      initialHistory(simulate({ ...options, transactionsPerBlock: 30, heavyShare: 0.5 }), 1500)
    )
  ]
}

/** The same network with a feed that leaves out empty blocks. */
const gapped: HistorySubject = {
  ...ledgerSubject,
  records: withGaps(genesis, ledgerSubject.records, seed)
}

/** Stores that write checkpoints, the last of which are read after each law. */
const checkpointed = { checkpointPeriod: 5 }

const poolSubject: PoolSubject = {
  genesis,
  keccak256,
  open: reopenedStores(genesis),
  seed,
  runs: rounds({ short: 2, long: 8 })
}

const withCheckpoints = openLedger(reopenedStores(genesis, checkpointed))
/** How the laws run; those of `npm test` meet everything that the others meet. */
const ledgerVariants: ReadonlyArray<readonly [name: string, subject: HistorySubject]> = [
  [", with checkpoints and gaps", { ...gapped, open: withCheckpoints }],
  ...rounds<typeof ledgerVariants>({
    short: [],
    long: [["", ledgerSubject], [", with checkpoints", { ...ledgerSubject, open: withCheckpoints }]]
  })
]

describe(`the journaled ledger (replay: SEED=${seed} npm test -- test/journal/laws.test.ts)`, () => {
  for (const [name, subject] of ledgerVariants) {
    for (const law of ledgerLaws) it.live(law.name + name, () => law.run(subject))
    for (const law of historyLaws) it.live(law.name + name, () => law.run(subject))
  }
  for (const law of ledgerLaws) {
    it.live(`${law.name}, if the feed leaves out what the ledger derives`, () =>
      law.run(strippedSubject({ ...ledgerSubject, open: withCheckpoints }, strippedBlock)))
  }
  it.live("reads after a restart obey the laws of answers and pages, also those of later writes", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const half = long.records.length >> 1
      yield* Effect.scoped(
        Effect.flatMap(
          openLedger(openStores(directory, genesis)),
          ({ ledger }) => applyAll(ledger, long.records.slice(0, half))
        )
      )
      const reopened = openLedger(openStores(directory, genesis))
      const restarted = Effect.tap(
        reopened,
        ({ ledger }) => applyAll(ledger, long.records.slice(half))
      )
      // the stores contain all records, so the subject does not apply them again
      const subject = yield* readSubject({
        ...ledgerSubject,
        records: long.records,
        runs: rounds({ short: 5, long: 20 }),
        open: Effect.map(Effect.orDie(restarted), ({ ledger, reader }) => ({
          reader,
          ledger: { ...ledger, applyRecord: () => Effect.succeed({ kind: "genesis" } as const) }
        }))
      })
      for (const law of [...answerLaws, ...pagingLaws]) yield* law.run(subject)
    })))
})

const poolVariants: ReadonlyArray<readonly [name: string, subject: PoolSubject]> = [
  [", with checkpoints", { ...poolSubject, open: reopenedStores(genesis, checkpointed) }],
  ...rounds<typeof poolVariants>({ short: [], long: [["", poolSubject]] })
]

describe(`the journaled pool (replay: SEED=${seed} npm test -- test/journal/laws.test.ts)`, () => {
  for (const [name, subject] of poolVariants) {
    for (const law of [...poolStoreLaws, ...poolLaws]) {
      it.live(law.name + name, () => law.run(subject))
    }
  }
})
