import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  initialHistory,
  simulate,
  type SimulationOptions,
  writeFeed
} from "../../app/simulator/mod.ts"
import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import { rounds } from "../rounds.ts"
import { missingOccurrences } from "./occurrences.ts"

const SEEDS = rounds<ReadonlyArray<string | number>>({ short: [1], long: [1, "two", "drei 点"] })
const TRANSACTIONS = 5000
/** Transactions of networks with real state roots, which take most of the time. */
const hashed = rounds({ short: 120, long: 400 })

const recordsOf = (options: SimulationOptions, transactions: number): ReadonlyArray<FeedRecord> => [
  ...initialHistory(simulate(options), transactions)
]

const made = new Map<string | number, Network>()
/** A network that several tests share. */
const networkOf = (seed: string | number): Network => {
  let network = made.get(seed)
  if (network === undefined) {
    const simulation = simulate({ seed, rollBackPeriodBlocks: 25, placeholderRoots: true })
    made.set(
      seed,
      network = {
        genesis: simulation.genesis,
        records: [...initialHistory(simulation, TRANSACTIONS)]
      }
    )
  }
  return network
}

interface Network {
  readonly genesis: GenesisFeed
  readonly records: ReadonlyArray<FeedRecord>
}

describe("Simulation", () => {
  it.effect("a live network is behind the chain from time to time, and its blocks are those of its seed", () => {
    const options = { seed: 9, users: 12, placeholderRoots: true, rollBackPeriodBlocks: 0 }
    const { genesis, live } = simulate(options)
    const { live: { advance } } = simulate(options)
    return Effect.gen(function*() {
      const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
      const behind: Array<number> = []
      for (let step = 0; step < 45; step++) {
        const records = live.advance({ isIdle: false })
        assert.deepStrictEqual(advance({ isIdle: false }), records)
        for (const record of records) yield* ledger.applyRecord(record)
        const { state } = yield* reader.state
        behind.push(Number(state.lastEthereumBlock - state.lastSynchedBlock))
      }
      assert.strictEqual(behind.slice(0, 20).join(""), "00000000054321000000")
      assert.strictEqual(behind.filter((blocks) => blocks === 5).length, 2)
    }).pipe(
      Effect.provide(Layer.provideMerge(Ledger.layer(genesis, keccak256), layer(genesis)))
    )
  })

  it("the same seed gives the same feed, another seed another one", () => {
    const [first, again] = [7, 7].map((seed) =>
      [...writeFeed(simulate({ seed, users: 40 }), hashed)].join("")
    )
    assert.isTrue(first === again)
    const [one, other] = [7, 8].map((seed) =>
      [...writeFeed(simulate({ seed, users: 40, placeholderRoots: true }), 400)].join("")
    )
    assert.isFalse(one === other)
  })

  it("dummy state roots change nothing else in the feed", () => {
    const [plain, rooted] = [true, false].map((placeholderRoots) =>
      recordsOf({ seed: "roots", users: 40, rollBackPeriodBlocks: 10, placeholderRoots }, hashed)
    )
    const roots = (records: ReadonlyArray<FeedRecord> | undefined) =>
      (records ?? []).flatMap((record) =>
        record.kind === "block"
          ? (record.block.batches ?? []).map(({ stateRoot }) => stateRoot)
          : []
      )
    const rootless = (records: ReadonlyArray<FeedRecord> | undefined) =>
      (records ?? []).map((record) =>
        record.kind === "block"
          ? {
            ...record,
            block: {
              ...record.block,
              batches: (record.block.batches ?? []).map((batch) => ({ ...batch, stateRoot: 0n }))
            }
          }
          : record
      )
    assert.deepStrictEqual(rootless(rooted), rootless(plain))
    assert.notDeepEqual(roots(rooted), roots(plain))
    // before the first account the tree is empty
    assert.strictEqual(roots(rooted)[0], 0n)
  })

  it("a network of other options is valid too", () => {
    const small = {
      seed: 9,
      users: 3,
      tokens: 0,
      coordinators: 0,
      rollBackPeriodBlocks: 5,
      placeholderRoots: true
    }
    assert.isTrue(recordsOf(small, 200).some(({ kind }) => kind === "rollBack"))
    const busy = {
      seed: 9,
      users: 20,
      tokens: 3,
      coordinators: 1,
      transactionsPerBlock: 80,
      exitShare: 0,
      heavyShare: 0.4,
      placeholderRoots: true
    }
    assert.isFalse(
      recordsOf({ ...busy, rollBackPeriodBlocks: 0 }, 1000).some(({ kind }) => kind === "rollBack")
    )
  })

  for (const seed of SEEDS) {
    it(`everything that a network can contain occurs (seed ${seed})`, () => {
      const { genesis, records } = networkOf(seed)
      assert.deepStrictEqual(missingOccurrences(genesis, records), [])
    })

    it.effect(`the ledger accepts every record (seed ${seed})`, () => {
      const { genesis, records } = networkOf(seed)
      return Effect.gen(function*() {
        const ledger = yield* Ledger
        let last = 0
        for (const record of records) {
          const report = yield* ledger.applyRecord(record)
          if (report.kind === "block") assert.isTrue(report.applied)
          last++
        }
        assert.isAbove(last, 100)
      }).pipe(Effect.provide(Ledger.layer(genesis, keccak256)), Effect.provide(layer(genesis)))
    })
  }
})
