import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Scheduler } from "effect"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { l1UserTransactionId } from "../../../core/encoding/mod.ts"
import { addressOf, genesis } from "../../use_cases/_network.ts"
import { batchOf, blockOf, bob, chain, headOf, l1Of, l2Of } from "../../use_cases/_chain.ts"
import { openStores, stirPool } from "./_cached_answers.ts"
import { pendingExit } from "../../laws/pool/_pool_rows.ts"

/* Which cached answers stay valid after a change, and which are computed again. */

const forgedId = l1UserTransactionId({ toForgeL1TransactionsNum: 1, position: 0 }, keccak256)

const urls = {
  accounts: "/accounts",
  account: "/accounts/zk:ETH:256",
  exits: "/exits",
  withdrawn: "/exits/3/zk:ETH:256",
  pending: "/exits/4/zk:ETH:256",
  transactions: "/transactions-history",
  forged: `/transactions-history/${forgedId}`,
  batches: "/batches",
  batch: "/batches/2",
  fullBatch: "/full-batches/2",
  slots: "/slots?maxSlotNum=7",
  past: "/slots/0",
  open: "/slots/5",
  bids: "/bids?slotNum=5",
  tokens: "/tokens",
  token: "/tokens/1",
  coordinators: "/coordinators",
  coordinator: `/coordinators/${bob.address}`,
  state: "/state",
  config: "/config",
  docs: "/docs",
  document: "/openapi.json"
}
const poolUrls = [
  `/transactions-pool/${pendingExit(0).id}`,
  `/transactions-pool/${pendingExit(1).id}`,
  `/account-creation-authorization/zk:${addressOf("a")}`,
  "/v1/state"
]
type Name = keyof typeof urls
const names = Object.keys(urls) as ReadonlyArray<Name>
const withPrices: ReadonlyArray<Name> = [
  "accounts",
  "account",
  "exits",
  "withdrawn",
  "pending",
  "transactions",
  "forged",
  "fullBatch",
  "tokens",
  "token"
]

/**
 * Returns a node with all answers cached. It has batches 1 to 4, and the last one has an exit that
 * is not withdrawn.
 */
const prepared = Effect.gen(function*() {
  const stores = yield* openStores(genesis)
  const { ledger, open, pool, readsOf, tips } = stores
  for (const block of chain) yield* Effect.orDie(ledger.applyBlock(block))
  const exit = { ...chain[3]!.batches![0]!.exits![0]!, accountIndex: 256, balance: 7n }
  yield* Effect.orDie(ledger.applyBlock(blockOf(107n, {
    batches: [batchOf(4, {
      exitRoot: 55n,
      l2: [l2Of(256, 1, { amount: 7n, nonce: 1n })],
      exits: [{ ...exit, merkleProof: { ...exit.merkleProof!, key: 256n } }]
    })]
  })))
  for (const step of [0, 1]) yield* stirPool(pool, 2, step)
  yield* Effect.orDie(
    pool.addAuthorization({
      address: addressOf("a"),
      publicKey: "a".repeat(64),
      signature: `0x${"1".repeat(130)}`,
      timestampMs: 5
    })
  )
  const { ask, stats } = yield* open(tips)
  const askAll = Effect.gen(function*() {
    const recomputed: Array<Name> = []
    for (const name of names) {
      const before = { reads: readsOf(), hits: stats().hits }
      const response = yield* ask(urls[name])
      assert.strictEqual(response.status, 200, `${name}: ${response.body}`)
      const isHit = stats().hits > before.hits
      if (isHit) assert.strictEqual(readsOf(), before.reads, name)
      if (!isHit) recomputed.push(name)
    }
    return recomputed
  })
  yield* askAll
  return { ...stores, askAll, stats, ask }
})

describe("the answer cache", () => {
  it.effect("stays valid while nothing changes", () =>
    Effect.gen(function*() {
      const { askAll, stats } = yield* prepared
      const { misses } = stats()
      assert.deepStrictEqual(yield* askAll, [])
      assert.strictEqual(stats().hits, names.length)
      assert.strictEqual(stats().misses, misses)
    }))

  it.effect("keeps an answer that a change does not affect", () =>
    Effect.gen(function*() {
      const { askAll, ledger } = yield* prepared
      const apply = (number: bigint, parts: Parameters<typeof blockOf>[1] = {}) =>
        ledger.applyBlock(blockOf(number, parts))
      const { auction } = genesis.variables
      const slots: ReadonlyArray<Name> = ["state", "slots", "open"]
      const registration = {
        bidderAddr: bob.address,
        forgerAddr: addressOf("b"),
        url: "https://new.example"
      }
      const token = {
        id: 2,
        ethereumAddress: addressOf("9"),
        name: "Two",
        symbol: "TWO",
        decimals: 2
      }
      const constant: ReadonlyArray<Name> = ["docs", "document"]
      const changes: ReadonlyArray<
        readonly [write: Effect.Effect<unknown, unknown>, computedAgain: ReadonlyArray<Name>]
      > = [
        [apply(108n), ["state"]],
        [ledger.setPrices([{ tokenId: 1, priceUSD: 4, timeMs: 108_500 }]), withPrices],
        [ledger.setPrices([]), []],
        // slot 0, then slot 1
        [ledger.setHead(headOf(109n)), ["state"]],
        [ledger.setHead(headOf(112n)), slots],
        [ledger.rollBack(111n), slots],
        [ledger.setHead(headOf(108n)), ["state"]],
        [apply(109n, { l1UserTransactions: [l1Of(3, 0, { depositAmount: 5n })] }), ["state"]],
        // the first block of slot 1
        [apply(110n), slots],
        [apply(111n, { batches: [batchOf(5)] }), ["state", "batches"]],
        [apply(112n, { batches: [batchOf(6, { l2: [l2Of(256, 257, { nonce: 2n })] })] }), [
          "state",
          "batches",
          "transactions",
          "accounts",
          "account"
        ]],
        [apply(113n, { withdrawals: [{ batchNum: 4, accountIndex: 256, instant: true }] }), [
          "state",
          "exits",
          "pending"
        ]],
        [apply(114n, { bids: [{ slotNum: 6, bidderAddr: bob.address, bidValue: 11n }] }), [
          ...slots,
          "past",
          "bids"
        ]],
        [apply(115n, { coordinators: [registration] }), [
          ...slots,
          "past",
          "bids",
          "coordinators",
          "coordinator"
        ]],
        [apply(116n, { auctionVariables: { ...auction, openAuctionSlots: 50 } }), [
          ...slots,
          "past"
        ]],
        [apply(117n, { verifiers: [{ maxTx: 400, nlevels: 40 }] }), ["state", "config"]],
        [apply(118n, { tokens: [token] }), ["state", ...withPrices]],
        [ledger.rollBack(118n), []],
        [ledger.rollBack(117n), names.filter((name) => !constant.includes(name))]
      ]
      for (const [at, [write, computedAgain]] of changes.entries()) {
        yield* Effect.orDie(write)
        assert.sameMembers([...yield* askAll], [...computedAgain], `after change ${at + 1}`)
      }
    }))

  it.effect("caches no answer about the pool, and confirms it while its content is the same", () =>
    Effect.gen(function*() {
      const { ask, pool, stats } = yield* prepared
      const { entries, hits } = stats()
      const etags = yield* Effect.forEach(
        poolUrls,
        (url) => Effect.map(ask(url), ({ headers }) => headers.etag!)
      )
      const statuses = Effect.forEach(
        poolUrls,
        (url, i) => Effect.map(ask(url, { "if-none-match": etags[i]! }), ({ status }) => status)
      )
      assert.deepStrictEqual(yield* statuses, [304, 304, 304, 304])
      const { id } = pendingExit(0)
      yield* Effect.orDie(
        pool.change([{
          id,
          from: "pend",
          fromBatchNum: null,
          to: "fing",
          batchNum: 5,
          reason: "Test"
        }], 9000)
      )
      assert.deepStrictEqual(yield* statuses, [200, 304, 304, 200])
      assert.deepStrictEqual([stats().entries, stats().hits], [entries, hits])
    }))

  it.effect("names the block of a head in its headers, and in the state", () =>
    Effect.gen(function*() {
      const { ask, ledger } = yield* prepared
      const before = yield* ask("/batches")
      for (const number of [125n, 118n, 107n]) {
        yield* Effect.orDie(ledger.setHead(headOf(number)))
        const [batches, state] = [yield* ask("/batches"), yield* ask("/state")]
        for (const { headers } of [batches, state]) {
          assert.strictEqual(headers["ledger-ethereum-block"], String(number))
        }
        assert.strictEqual(batches.headers.etag, before.headers.etag)
        const { network } = JSON.parse(state.body) as { readonly network: object }
        assert.deepInclude(network, {
          lastSynchedBlock: Number(number),
          lastEthereumBlock: Number(number) + 3
        })
      }
    }))

  it.effect("computes an answer once for concurrent requests, but again for a request after a write", () =>
    Effect.gen(function*() {
      const { ledger, moveAway, open, readsOf, tips } = yield* prepared
      let poolVersion = 0
      const { ask, stats } = yield* open({
        ledger: { ...tips.ledger, isRemote: true },
        pool: { version: () => poolVersion }
      }, { answersBytesMax: 0 })
      moveAway()
      const before = readsOf()
      const responses = yield* Effect.all(Array.from({ length: 5 }, () => ask("/batches")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(readsOf(), before + 1)
      assert.deepStrictEqual({ misses: stats().misses, shared: stats().shared }, {
        misses: 1,
        shared: 4
      })
      for (const { body } of responses) assert.strictEqual(body, responses[0]!.body)
      const [, after] = yield* Effect.all([
        ask("/batches"),
        Effect.andThen(
          Effect.orDie(ledger.applyBlock(blockOf(108n, { batches: [batchOf(5)] }))),
          ask("/batches")
        )
      ], { concurrency: "unbounded" })
      assert.notStrictEqual(after.body, responses[0]!.body)
      const { misses } = stats()
      yield* Effect.all([
        ask("/batches"),
        Effect.andThen(Effect.sync(() => poolVersion++), ask("/batches"))
      ], { concurrency: "unbounded" })
      assert.strictEqual(stats().misses, misses + 2)
    }))

  for (const unknown of ["ledger", "pool"] as const) {
    it.effect(`computes an answer for each request while the version of the ${unknown} is unknown`, () =>
      Effect.gen(function*() {
        const { ledger, moveAway, open, tips } = yield* prepared
        const { ask } = yield* open({
          ledger: {
            ...tips.ledger,
            isRemote: true,
            version: () => unknown === "ledger" ? null : 1
          },
          pool: { version: () => unknown === "pool" ? null : 1 }
        })
        moveAway()
        const [before, after] = yield* Effect.all([
          ask("/batches/5"),
          Effect.andThen(
            Effect.orDie(ledger.applyBlock(blockOf(108n, { batches: [batchOf(5)] }))),
            ask("/batches/5")
          )
        ], { concurrency: "unbounded" })
        assert.deepStrictEqual([before.status, after.status], [404, 200])
      }))
  }

  it.effect("computes an answer that other clients wait for even if its first client disconnects at any moment", () =>
    Effect.gen(function*() {
      const { moveAway, open, tips } = yield* prepared
      const { ask } = yield* open({ ...tips, ledger: { ...tips.ledger, isRemote: true } }, {
        answersBytesMax: 0
      })
      moveAway()
      const scheduler = yield* Scheduler.Scheduler
      let isInterrupted = true
      for (let operation = 1; isInterrupted; operation++) {
        let count = 0
        // the fiber can be interrupted before this operation
        const first = yield* Effect.forkChild(ask("/batches"), { startImmediately: true }).pipe(
          Effect.provideService(Scheduler.Scheduler, {
            executionMode: scheduler.executionMode,
            makeDispatcher: () => scheduler.makeDispatcher(),
            shouldYield: () => ++count === operation
          })
        )
        const interruption = yield* Effect.forkChild(Fiber.interrupt(first), {
          startImmediately: true
        })
        const second = yield* Effect.forkChild(ask("/batches"))
        for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
        assert.isDefined(second.pollUnsafe(), `disconnected before operation ${operation}`)
        yield* Fiber.await(interruption)
        isInterrupted = count >= operation
      }
    }))

  it.effect("is not computed if the client disconnects while the request waits for admission", () =>
    Effect.gen(function*() {
      const { moveAway, open, readsOf, tips } = yield* prepared
      const { send } = yield* open({ ...tips, ledger: { ...tips.ledger, isRemote: true } }, {
        answersBytesMax: 0
      })
      moveAway()
      const before = readsOf()
      const admission = yield* Deferred.make<boolean>()
      const admit = () => Deferred.await(admission)
      const waiting = yield* Effect.forkChild(
        send({ method: "GET", url: "/batches", headers: {}, admit }),
        { startImmediately: true }
      )
      yield* Effect.forkChild(Fiber.interrupt(waiting), { startImmediately: true })
      yield* Deferred.succeed(admission, true)
      yield* Fiber.await(waiting)
      assert.strictEqual(readsOf(), before)
    }))

  it.effect("with ever new unknown parameters of v1 are those of the ledger, within the bytes of the cache", () =>
    Effect.gen(function*() {
      const { ledger, open, tips } = yield* prepared
      const { ask, stats } = yield* open(tips, { answersBytesMax: 20_000 })
      const askFor = (number: number) =>
        Effect.gen(function*() {
          const first = yield* ask(`/v1/tokens?unknown=${number}`)
          const again = yield* ask(`/v1/tokens?unknown=${number}`)
          assert.isAtMost(stats().bytes, 20_000)
          return [first, again, yield* ask("/v1/tokens")].map(({ body }) => body)
        })
      let [before] = yield* askFor(0)
      for (let number = 1; number <= 100; number++) {
        assert.deepStrictEqual(yield* askFor(number), [before, before, before])
      }
      yield* Effect.orDie(ledger.applyBlock(blockOf(108n, {
        tokens: [{
          id: 2,
          ethereumAddress: addressOf("7"),
          name: "New",
          symbol: "NEW",
          decimals: 0
        }]
      })))
      const [after, ...others] = yield* askFor(100)
      assert.notStrictEqual(after, before)
      assert.include(after!, `"symbol":"NEW"`)
      assert.deepStrictEqual(others, [after, after])
    }))

  it.effect("takes at most its configured number of bytes", () =>
    Effect.gen(function*() {
      const { open, tips } = yield* prepared
      const { ask, stats } = yield* open(tips, { answersBytesMax: 20_000 })
      for (let limit = 1; limit <= 100; limit++) {
        const first = yield* ask(`/tokens?limit=${limit}`)
        assert.strictEqual((yield* ask(`/tokens?limit=${limit}`)).body, first.body)
        assert.isAtMost(stats().bytes, 20_000)
      }
      assert.strictEqual(stats().hits, 100)
      assert.strictEqual(stats().evictions + stats().entries, 100)
      assert.isAbove(stats().entries, 3)
      const { ask: unkept, stats: none } = yield* open(tips, { answersBytesMax: 0 })
      for (const _ of [1, 2]) {
        yield* unkept("/tokens")
      }
      assert.deepStrictEqual({ ...none() }, {
        hits: 0,
        misses: 2,
        shared: 0,
        notModified: 0,
        entries: 0,
        bytes: 0,
        evictions: 0,
        bytesMax: 0,
        gzip: { sent: 0, compressed: 0 }
      })
    }))
})
