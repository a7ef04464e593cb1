import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { verifyTransaction } from "../../adapters/crypto/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { drive, driveOnce, simulate, type Simulation } from "../../app/simulator/mod.ts"
import type { FeedRecord, PoolState, PostedTransaction } from "../../core/domain/mod.ts"
import { leafKey } from "../../core/encoding/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger, Pool } from "../../core/use_cases/mod.ts"

const PACE_MS = 3000

const provideNode = ({ genesis }: Simulation) => Effect.provide(memoryNode({ genesis }))

/** A simulation that records the posts of its wallets. */
function watched(simulation: Simulation) {
  const posted: Array<PostedTransaction> = []
  const owners = new Set<string>()
  const replaced: Array<string> = []
  const nextSubmissions = () => {
    const submissions = simulation.live.nextSubmissions()
    posted.push(
      ...[
        ...submissions.entries,
        ...submissions.replacements.map(({ entry }) => entry),
        ...submissions.groups.flatMap(({ entries }) => entries)
      ].map(({ transaction }) => transaction)
    )
    for (const { address } of submissions.authorizations) owners.add(address)
    replaced.push(...submissions.replacements.map((each) => each.replaced))
    return submissions
  }
  return {
    simulation: { ...simulation, live: { ...simulation.live, nextSubmissions } },
    posted,
    owners,
    replaced
  }
}

/** Runs a network with a history for some blocks. */
const run = Effect.fnUntraced(function*(simulation: Simulation, steps: number) {
  const ledger = yield* Ledger
  while (simulation.transactionCount() < 300) yield* ledger.applyRecord(simulation.next())
  const records: Array<FeedRecord> = []
  for (let step = 0; step < steps; step++) records.push(...yield* driveOnce(simulation))
  return records
})

const networkOf = (seed: string) =>
  simulate({ seed, users: 40, rollBackPeriodBlocks: 12, placeholderRoots: true })

describe("Driving a node", () => {
  it.effect("the history is there at once, then a block arrives in each period until the scope closes", () => {
    const simulation = simulate({
      seed: "drive",
      users: 40,
      rollBackPeriodBlocks: 0,
      placeholderRoots: true
    })
    return Effect.scoped(Effect.gen(function*() {
      const reader = yield* LedgerReader
      const lastBlock = Effect.map(reader.snapshotId, ({ ethereumBlockNum }) => ethereumBlockNum)
      const fiber = yield* drive(simulation, { transactions: 300, paceMs: PACE_MS })
      const { counts } = yield* reader.list("transactions", { filters: {}, limit: 1 })
      assert.isAtLeast(counts.totalItems, 300)
      const first = yield* lastBlock
      let periods = 0n
      while ((yield* lastBlock) < first + 5n) {
        const before = yield* lastBlock
        yield* TestClock.adjust(PACE_MS)
        periods++
        // the simulated users post after a block: a period that ends before they have is lost
        for (let polls = 0; polls < 100 && (yield* lastBlock) === before; polls++) {
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        }
        assert.isAtMost(Number((yield* lastBlock) - first), Number(periods))
      }
      yield* Fiber.interrupt(fiber)
      const last = yield* lastBlock
      yield* TestClock.adjust(5 * PACE_MS)
      assert.strictEqual(yield* lastBlock, last)
    })).pipe(provideNode(simulation))
  })

  it.effect("wallets send every type, link transactions, and have accounts created; their transactions are forged under their ids, and the pool has the state of the rest", () => {
    const { simulation, owners, posted, replaced } = watched(networkOf("pool"))
    return Effect.gen(function*() {
      const records = yield* run(simulation, 60)
      assert.deepStrictEqual([...new Set(posted.map(({ type }) => type))].sort(), [
        "Exit",
        "Transfer",
        "TransferToBJJ",
        "TransferToEthAddr"
      ])
      assert.isTrue(
        posted.some(({ request }) =>
          request !== null && Object.values(request).every((value) => value !== null)
        )
      )
      const created = records.flatMap((record) =>
        record.kind === "block"
          ? (record.block.batches ?? []).flatMap(({ l1Coordinator }) => l1Coordinator)
          : []
      )
      assert.isTrue(created.some(({ address }) => owners.has(address)))
      const pool = yield* Pool
      const reader = yield* LedgerReader
      const last = posted.at(-1)!
      const { item: sender } = yield* reader.find("account", last.fromAccountIndex)
      assert.isTrue(
        verifyTransaction(sender!.account.publicKey, last, simulation.genesis.network.chainId)
      )

      const states: Record<PoolState, number> = { pend: 0, fing: 0, fged: 0, invl: 0 }
      const moves = new Set<string>()
      for (const { id } of posted) {
        for (const { from, to } of yield* pool.transitions(id)) moves.add(`${from} to ${to}`)
        const row = yield* pool.transaction(id)
        if (row === null) continue
        states[row.state]++
        const { item } = yield* reader.find("transaction", id)
        assert.strictEqual(
          row.state === "fged" ? row.batchNum : null,
          item?.transaction.batchNum ?? null,
          `${id} is ${row.state}`
        )
      }
      assert.isAbove(states.fged, 400)
      assert.isAbove(states.fing, 0)
      assert.isAbove(states.pend, 0)
      assert.isAbove(states.invl, 0)
      assert.includeMembers([...moves], [
        "null to pend",
        "pend to fing",
        "fing to fged",
        "fing to pend",
        "fged to pend",
        "pend to invl",
        // by a replacement
        "pend to null"
      ])
      assert.isNotEmpty(replaced)
      assert.isTrue(posted.some(({ maxNumBatch }) => maxNumBatch !== undefined))
      const { items: accounts } = yield* reader.list("accounts", { filters: {}, limit: 2000 })
      const leafKeys = new Set(
        accounts.flatMap(({ account: { publicKey } }) =>
          leafKey(publicKey) === publicKey ? [] : [leafKey(publicKey)]
        )
      )
      assert.isTrue(posted.some(({ toPublicKey }) => leafKeys.has(toPublicKey ?? "")))
      const groups = new Set<string>()
      for (const { id } of posted) {
        const row = yield* pool.transaction(id)
        if (row?.state === "fged" && row.group !== undefined) groups.add(row.group.id)
      }
      assert.isNotEmpty(groups)
      assert.isBelow(states.pend, 80)
    }).pipe(provideNode(simulation))
  })

  it.effect("with a clock the history ends now, each new block has the time of the clock, and the blocks are otherwise the same", () => {
    const [timed, plain] = [0, 1].map(() =>
      simulate({ seed: "clock", users: 20, rollBackPeriodBlocks: 0, placeholderRoots: true })
    ) as [Simulation, Simulation]
    return Effect.gen(function*() {
      const startMs = Date.UTC(2026, 10, 5)
      yield* TestClock.setTime(startMs)
      const reader = yield* LedgerReader
      const lastBatch = Effect.map(
        reader.list("batches", { filters: {}, limit: 1, order: "DESC" }),
        ({ items }) => items[0]!
      )
      yield* drive(timed, { transactions: 600, paceMs: Infinity, usesClock: true })
      const { timestampMs: endMs } = yield* lastBatch
      assert.isAtMost(endMs, startMs)
      assert.isAbove(endMs, startMs - 60_000)
      while (plain.transactionCount() < 600) plain.next()
      assert.strictEqual(plain.transactionCount(), timed.transactionCount())
      yield* TestClock.adjust(7000)
      const records = yield* driveOnce(timed, { usesClock: true })
      assert.deepStrictEqual(
        records.flatMap((record) => record.kind === "block" ? [record.block.timestampMs] : []),
        [startMs + 7000]
      )
      // never before its parent
      yield* TestClock.setTime(startMs)
      const [next] = yield* driveOnce(timed, { usesClock: true })
      assert.strictEqual(next?.kind === "block" ? next.block.timestampMs : null, startMs + 7000)
    }).pipe(Effect.scoped, provideNode(timed))
  })

  it.effect("the simulator does not use the demo wallet", () => {
    const simulation = networkOf("demo")
    return Effect.gen(function*() {
      yield* run(simulation, 20)
      const reader = yield* LedgerReader
      const { items } = yield* reader.list("accounts", {
        filters: { publicKey: simulation.demoWallet.publicKey }
      })
      assert.deepStrictEqual(items.map(({ account: { nonce, tokenId } }) => [tokenId, nonce]), [[
        0,
        0n
      ], [1, 0n]])
      for (const { account } of items) assert.isAbove(Number(account.balance), 0)
    }).pipe(provideNode(simulation))
  })
})
