/* Values that contracts allow and that are rare: empty and odd texts, fast buckets, many slots. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application } from "../../adapters/http/mod.ts"
import * as memory from "../../adapters/memory/mod.ts"
import { wireContext } from "../../core/contract/mod.ts"
import { Ledger, Submission } from "../../core/use_cases/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"

const simulation = simulate({
  seed: "unusual",
  users: 60,
  placeholderRoots: true,
  rollBackPeriodBlocks: 0
})
const { genesis } = simulation
let expectedBuckets = genesis.variables.rollup.buckets
const paths = ["", "/earlier", "/v1"]

/** A node over a network in which each token has an account. */
const node = Layer.effectContext(
  Effect.gen(function*() {
    const services = yield* Layer.build(
      Layer.provideMerge(
        Ledger.layer(genesis, keccak256),
        Layer.merge(memory.layer(genesis), memory.poolLayer)
      )
    )
    const ledger = Context.get(services, Ledger)
    while (simulation.transactionCount() < 800) {
      const record = simulation.next()
      if (record.kind !== "block") yield* ledger.applyRecord(record)
      else {
        // as many closed slots as the contract allows, so that all forgers are not shown
        const { auctionVariables: auction, ...block } = record.block
        expectedBuckets = block.rollupVariables?.buckets ?? expectedBuckets
        const change = auction === undefined
          ? {}
          : { auctionVariables: { ...auction, closedAuctionSlots: 65_535 } }
        yield* ledger.applyBlock({ ...block, ...change })
      }
    }
    const application = yield* Layer.build(
      Application.layer({
        context: wireContext(genesis.network, keccak256),
        constants: genesis.constants
      }).pipe(
        Layer.provide(Layer.merge(Layer.succeedContext(services), Layer.mock(Submission, {})))
      )
    )
    return Context.merge(services, application)
  }).pipe(Effect.orDie)
)

const ask = (url: string) =>
  Effect.map(
    Effect.flatMap(Application, ({ handle }) => handle({ method: "GET", url, headers: {} })),
    ({ body, status }) => ({ status, body: JSON.parse(Buffer.from(body).toString()) as Json })
  )
// the three revisions name their properties differently
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

layer(node)("a network with unusual values", (it) => {
  for (const path of paths) {
    it.effect(`shows an account of each token under its symbol, empty or odd, and finds it by its number (${path || "/"})`, () =>
      Effect.gen(function*() {
        const { tokens } = (yield* ask(`${path}/tokens?limit=50`)).body
        const symbols = tokens.map(({ symbol }: { symbol: string }) => symbol)
        assert.includeMembers(symbols, ["", "A:B", "点"])
        for (const { id, symbol } of tokens) {
          const { accounts } = (yield* ask(`${path}/accounts?tokenIds=${id}&limit=1`)).body
          const [account] = accounts
          if (account === undefined) continue
          const index: string = account.accountIndex
          assert.match(index, /:\d+$/u)
          assert.strictEqual(index.split(":").slice(1, -1).join(":"), symbol)
          const shown = encodeURIComponent(index)
          const found = yield* ask(`${path}/accounts/${shown}`)
          assert.deepStrictEqual([found.status, found.body.accountIndex], [200, index])
          // every index that an answer shows is accepted by every filter
          const lists = ["exits", "transactions-history"].map((list) =>
            `${path}/${list}?limit=1&accountIndex=`
          )
          for (const list of lists) assert.strictEqual((yield* ask(`${list}${shown}`)).status, 200)
          const other = `zk:OTHER:${index.split(":").at(-1)}`
          const status = path === "/v1" ? 200 : 404
          for (const list of lists) {
            const answer = yield* ask(`${list}${other}`)
            assert.strictEqual(answer.status, status, list)
            if (status === 404) assert.include(answer.body.message, `is ${index}`)
          }
          const wrong = yield* ask(`${path}/accounts/${other}`)
          assert.strictEqual(wrong.status, path === "/v1" ? 400 : 404)
        }
      }))
  }

  it.effect("shows at most 1,025 forgers", () =>
    Effect.gen(function*() {
      for (const path of paths) {
        const { body, status } = yield* ask(`${path}/state`)
        assert.strictEqual(status, 200)
        assert.lengthOf(JSON.stringify(body).match(/"fromBlock"/gu)!, 1025, path)
      }
    }))

  it.effect("shows in v1 how many withdrawals a bucket allows per period, 1 by default", () =>
    Effect.gen(function*() {
      const { body } = yield* ask("/v1/state")
      const { buckets } = body.rollup as { buckets: Array<{ rateWithdrawals: string }> }
      assert.deepStrictEqual(
        buckets.map(({ rateWithdrawals }) => rateWithdrawals),
        expectedBuckets.map(({ rateWithdrawals = 1n }) => String(rateWithdrawals))
      )
    }))
})
