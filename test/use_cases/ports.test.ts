/* What ports bring with them besides their promises: failures in words, snapshots that are kept, parts that change, and what is measured. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BlockChanges } from "../../core/domain/mod.ts"
import {
  checkHealth, figure, type Health, type LedgerPart, ledgerParts, type LedgerSnapshot, limitHits, measure, type Metric, Monitor, noPartChanged, NotRegistered, notRegisteredMessage,
  partsOfBlock, raised, RecentSnapshots, VerifierBusy
} from "../../core/ports/mod.ts"

const stamp = { ethereumBlockNum: 1n, batchNum: null, version: 1 }

describe("a failure", () => {
  it("says what is not registered, all of it, and names the first", () => {
    const failure = new NotRegistered({ stamp, things: [{ filter: "tokenIds", kind: "token", value: 7 }, { filter: "fromAccountIndex", kind: "account", value: 300 }, { filter: "batchNum", kind: "batch", value: 9 }] })
    assert.strictEqual(failure.message, "Token 7 is not registered; Account 300 is not registered; Batch 9 is not registered")
    assert.deepStrictEqual([failure.filter, failure.kind, failure.value], ["tokenIds", "token", 7])
    assert.strictEqual(notRegisteredMessage({ filter: "", kind: "batch", value: 1 }), "Batch 1 is not registered")
  })

  it("says when to try again", () => {
    assert.strictEqual(new VerifierBusy({ retryAfterSeconds: 3 }).message, "Too many signatures wait for verification, expected fewer: try again in 3 s")
  })
})

describe("recent snapshots", () => {
  it("are the last 64, by version", () => {
    const recent = new RecentSnapshots()
    const snapshotAt = (version: number): LedgerSnapshot => ({ stamp: { ...stamp, version }, parts: noPartChanged })
    for (let version = 1; version <= 64; version++) recent.note(snapshotAt(version))
    assert.deepStrictEqual([recent.at(1), recent.at(64), recent.at(65)], [snapshotAt(1), snapshotAt(64), null])
    recent.note(snapshotAt(65))
    assert.deepStrictEqual([recent.at(1), recent.at(2), recent.at(65)], [null, snapshotAt(2), snapshotAt(65)])
  })
})

describe("the parts of a ledger", () => {
  const nothing = { batches: [], bids: [], coordinators: [], prices: [], queued: [], tokens: [], variables: {}, withdrawals: [] }
  const batch = { accounts: [], accountUpdates: [], exits: [], forged: [], transactions: [] }
  const some = [{}]
  const changes: ReadonlyArray<readonly [changed: object, ...parts: ReadonlyArray<LedgerPart>]> = [
    [{}], [{ queued: some }], [{ tokens: some }, "tokens"], [{ prices: some }, "tokens"], [{ withdrawals: some }, "exits"], [{ bids: some }, "bids"], [{ coordinators: some }, "coordinators"],
    [{ variables: { auction: {} } }, "auction"], [{ variables: { rollup: {} } }], [{ batches: [batch] }, "batches"],
    [{ batches: [batch, { ...batch, accounts: some }] }, "accounts", "batches"], [{ batches: [{ ...batch, accountUpdates: some }] }, "accounts", "batches"],
    [{ batches: [batch, { ...batch, exits: some }] }, "exits", "batches"],
    [{ batches: [batch, { ...batch, forged: some }] }, "transactions", "batches"], [{ batches: [{ ...batch, transactions: some }] }, "transactions", "batches"]
  ]

  it("are changed by what a block brings, and blocks by any block", () => {
    for (const [changed, ...parts] of changes) assert.deepStrictEqual(partsOfBlock({ ...nothing, ...changed } as unknown as BlockChanges), ["blocks", ...parts])
  })

  it("keep the version that changed them last, 0 in the beginning", () => {
    assert.deepStrictEqual(noPartChanged, Object.fromEntries(ledgerParts.map((part) => [part, 0])) as never)
    const once = raised(noPartChanged, ["blocks", "tokens"], 5)
    const twice = raised(once, ["blocks"], 6)
    assert.deepStrictEqual([once.blocks, once.tokens, once.bids, twice.blocks, twice.tokens], [5, 5, 0, 6, 5])
    assert.isTrue([noPartChanged, once].every((parts) => Object.isFrozen(parts)))
  })
})

describe("what is measured", () => {
  it.effect("is told whoever watches, and nobody where nobody does", () => Effect.gen(function*() {
    const told: Array<Metric | string> = []
    const monitor: Monitor = {
      measure: (...metrics) => Effect.sync(() => void told.push(...metrics)), check: (name, health) => Effect.map(health, ({ detail }) => void told.push(`${name}: ${detail}`))
    }
    let value = 1
    const one = figure("gauge", "a", "A figure", () => value)
    const labelled = figure("counter", "b_total", "Another", () => 2, { kind: "x" })
    const hits = limitHits(() => [{ labels: { limit: "l" }, value: 3 }])
    const healthy: Effect.Effect<Health> = Effect.succeed({ state: "ok", detail: "fine" })
    const telling = Effect.scoped(Effect.andThen(measure(one, labelled, hits), checkHealth("store", healthy)))
    yield* telling
    assert.deepStrictEqual(told, [])
    yield* Effect.provideService(telling, Monitor, monitor)
    assert.deepStrictEqual(told, [one, labelled, hits, "store: fine"])
    value = 5
    assert.deepStrictEqual(yield* Effect.forEach([one, labelled, hits], ({ read }) => read), [[{ labels: {}, value: 5 }], [{ labels: { kind: "x" }, value: 2 }], [{ labels: { limit: "l" }, value: 3 }]])
    assert.deepStrictEqual([one.kind, one.name, one.help, labelled.kind, hits.kind, hits.name], ["gauge", "a", "A figure", "counter", "counter", "rollup_limit_hits_total"])
  }))
})
