/*
 * What ports contain besides the services: failure messages, cached snapshots, ledger parts and
 * metrics.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Metric } from "effect"
import type { BlockChanges } from "../../core/domain/mod.ts"
import {
  checkHealth,
  collect,
  counter,
  Distribution,
  gauge,
  type Health,
  histogram,
  type LedgerPart,
  ledgerParts,
  type LedgerSnapshot,
  limitHits,
  measure,
  Monitor,
  noPartChanged,
  NotRegistered,
  notRegisteredMessage,
  RecentSnapshots,
  type Series,
  VerifierBusy,
  withVersion
} from "../../core/ports/mod.ts"
import { partsOfBlock } from "../../core/use_cases/ledger/mod.ts"

const snapshotId = { ethereumBlockNum: 1n, batchNum: null, version: 1 }

describe("a failure", () => {
  it("lists everything that is not registered", () => {
    const failure = new NotRegistered({
      snapshotId,
      things: [{ filter: "tokenIds", kind: "token", value: 7 }, {
        filter: "fromAccountIndex",
        kind: "account",
        value: 300
      }, { filter: "batchNum", kind: "batch", value: 9 }]
    })
    assert.strictEqual(
      failure.message,
      "Token 7 is not registered; Account 300 is not registered; Batch 9 is not registered"
    )
    assert.strictEqual(
      notRegisteredMessage({ filter: "", kind: "batch", value: 1 }),
      "Batch 1 is not registered"
    )
  })

  it("says when to retry", () => {
    assert.strictEqual(
      new VerifierBusy({ retryAfterSeconds: 3 }).message,
      "Too many signatures wait for verification: try again in 3 s"
    )
  })
})

describe("recent snapshots", () => {
  it("are the last 64, by version", () => {
    const recent = new RecentSnapshots()
    const snapshotAt = (version: number): LedgerSnapshot => ({
      snapshotId: { ...snapshotId, version },
      parts: noPartChanged
    })
    for (let version = 1; version <= 64; version++) recent.note(snapshotAt(version))
    assert.deepStrictEqual([recent.at(1), recent.at(64), recent.at(65)], [
      snapshotAt(1),
      snapshotAt(64),
      null
    ])
    recent.note(snapshotAt(65))
    assert.deepStrictEqual([recent.at(1), recent.at(2), recent.at(65)], [
      null,
      snapshotAt(2),
      snapshotAt(65)
    ])
  })
})

describe("the parts of a ledger", () => {
  const nothing = {
    batches: [],
    bids: [],
    coordinators: [],
    prices: [],
    queued: [],
    tokens: [],
    variables: {},
    withdrawals: []
  }
  const batch = { accounts: [], exits: [], transactions: [] }
  const some = [{}]
  const changes: ReadonlyArray<readonly [changed: object, ...parts: ReadonlyArray<LedgerPart>]> = [
    [{}],
    [{ queued: some }],
    [{ tokens: some }, "tokens"],
    [{ prices: some }, "tokens"],
    [{ withdrawals: some }, "exits"],
    [{ bids: some }, "bids"],
    [{ coordinators: some }, "coordinators"],
    [{ variables: { auction: {} } }, "auction"],
    [{ variables: { rollup: {} } }, "verifiers"],
    [{ batches: [batch] }, "batches"],
    [{ batches: [batch, { ...batch, accounts: some }] }, "accounts", "batches"],
    [{ batches: [batch, { ...batch, exits: some }] }, "exits", "batches"],
    [{ batches: [{ ...batch, transactions: some }] }, "transactions", "batches"]
  ]

  it("are changed by the content of a block; every block changes `blocks`", () => {
    for (const [changed, ...parts] of changes) {
      assert.deepStrictEqual(partsOfBlock({ ...nothing, ...changed } as unknown as BlockChanges), [
        "blocks",
        ...parts
      ])
    }
  })

  it("have the version that changed them last, 0 in the beginning", () => {
    assert.deepStrictEqual(
      noPartChanged,
      Object.fromEntries(ledgerParts.map((part) => [part, 0])) as never
    )
    const once = withVersion(noPartChanged, ["blocks", "tokens"], 5)
    const twice = withVersion(once, ["blocks"], 6)
    assert.deepStrictEqual([once.blocks, once.tokens, once.bids, twice.blocks, twice.tokens], [
      5,
      5,
      0,
      6,
      5
    ])
    assert.isTrue([noPartChanged, once].every((parts) => Object.isFrozen(parts)))
  })
})

describe("a metric", () => {
  it.effect("is registered with the monitor, and nowhere without one", () =>
    Effect.gen(function*() {
      const registered: Array<Series | string> = []
      const monitor: Monitor = {
        measure: (...series) => Effect.sync(() => void registered.push(...series)),
        collect: (name, read) =>
          Effect.map(Effect.orDie(read), (series) => void registered.push(name, ...series)),
        check: (name, health) =>
          Effect.map(health, ({ detail }) => void registered.push(`${name}: ${detail}`))
      }
      const one = gauge("a", "One", () => 1)
      const collected = gauge("c", "Another", () => 1)
      const healthy: Effect.Effect<Health> = Effect.succeed({ state: "ok", detail: "fine" })
      const registering = Effect.scoped(
        Effect.all([
          measure(one),
          collect("c", Effect.succeed([collected])),
          checkHealth("store", healthy)
        ])
      )
      yield* registering
      assert.deepStrictEqual(registered, [])
      yield* Effect.provideService(registering, Monitor, monitor)
      assert.deepStrictEqual(registered, [one, "c", collected, "store: fine"])
    }))

  it("is a series of the registry, whose value is read with each snapshot", () => {
    const context = Context.make(Metric.MetricRegistry, new Map())
    let value = 1
    const series = [
      gauge("a", "A gauge", () => value),
      counter("b_total", "A counter", () => 2, { kind: "x" }),
      limitHits("l", () => 3, { client: "c" })
    ]
    const registrations = series.map((each) => each.register(context))
    value = 5
    assert.deepStrictEqual(
      Metric.snapshotUnsafe(context).map((
        { attributes, description, id, state, type }
      ) => [type, id, description, attributes ?? {}, state]),
      [
        ["Gauge", "a", "A gauge", {}, { value: 5 }],
        ["Counter", "b_total", "A counter", { kind: "x" }, { count: 2, incremental: true }],
        [
          "Counter",
          "rollup_limit_hits_total",
          "Refusals because of a limit, by limit",
          { limit: "l", client: "c" },
          { count: 3, incremental: true }
        ]
      ]
    )
    for (const { remove } of registrations) remove()
    assert.deepStrictEqual(Metric.snapshotUnsafe(context), [])
  })

  it("of a distribution counts the values up to each bound", () => {
    const context = Context.make(Metric.MetricRegistry, new Map())
    const distribution = new Distribution([1, 2])
    histogram("h_seconds", "A histogram", distribution).register(context)
    const stateNow = () => Metric.snapshotUnsafe(context)[0]!.state
    assert.deepStrictEqual(stateNow(), {
      buckets: [[1, 0], [2, 0]],
      count: 0,
      sum: 0,
      min: 0,
      max: 0
    })
    for (const value of [1, 0.5, 2, 7]) distribution.observe(value)
    assert.deepStrictEqual(stateNow(), {
      buckets: [[1, 2], [2, 3]],
      count: 4,
      sum: 10.5,
      min: 0.5,
      max: 7
    })
  })
})
