/* Values that contracts allow and that are rare: empty and odd texts, fast buckets, many slots. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { propertiesOf, revisionList } from "../../core/contract/mod.ts"
import { l2TransactionId } from "../../core/encoding/mod.ts"
import { SignatureVerifier } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { mountOf, mounts } from "../_mounts.ts"
import { memoryNode } from "../_memory_node.ts"
import { type NodeResponse, post as postText, send } from "../submission/_post.ts"

const simulation = simulate({
  seed: "unusual",
  users: 60,
  placeholderRoots: true,
  rollBackPeriodBlocks: 0
})
const { genesis } = simulation
let expectedBuckets = genesis.variables.rollup.buckets

/** A node over a network in which each token has an account. It accepts any signature. */
const node = Layer.effectDiscard(Effect.gen(function*() {
  const ledger = yield* Ledger
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
})).pipe(
  Layer.provideMerge(memoryNode({
    genesis,
    verifier: Layer.succeed(SignatureVerifier, {
      transaction: () => Effect.succeed(true),
      authorization: () => Effect.succeed(true)
    })
  })),
  Layer.orDie
)

const shown = ({ status, text }: NodeResponse) => ({ status, body: JSON.parse(text) as Json })
const ask = (url: string) => Effect.map(send(url), shown)
const post = (url: string, body: object) => Effect.map(postText(url, JSON.stringify(body)), shown)

/**
 * Returns a transfer of an account to itself, `ahead` nonces after the next one; `account` is as an
 * answer shows it.
 */
const transferOf = ({ accountIndex, nonce, token }: Json, ahead: number) => {
  const sent = {
    fromAccountIndex: Number(accountIndex.split(":").at(-1)),
    tokenId: token.id as number,
    amount: 1n,
    nonce: BigInt(nonce + ahead),
    fee: 0
  }
  return {
    id: Result.getOrThrow(l2TransactionId(sent, keccak256)),
    type: "Transfer",
    tokenId: sent.tokenId,
    fromAccountIndex: accountIndex as string,
    toAccountIndex: accountIndex as string,
    amount: "1",
    fee: 0,
    nonce: nonce + ahead,
    signature: "0".repeat(128)
  }
}
/** Returns the properties of a request of a transfer of an account to itself. */
const requestOf = ({ accountIndex, token }: Json) => ({
  requestFromAccountIndex: accountIndex as string,
  requestToAccountIndex: accountIndex as string,
  requestTokenId: token.id as number,
  requestAmount: "0",
  requestFee: 0,
  requestNonce: 0
})

// revisions name their properties differently
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

layer(node)("a network with unusual values", (it) => {
  for (const revision of revisionList) {
    const path = mountOf(revision)
    const isSymbolFree = revision.symbols !== undefined
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
          const status = isSymbolFree ? 200 : 404
          for (const list of lists) {
            const answer = yield* ask(`${list}${other}`)
            assert.strictEqual(answer.status, status, list)
            if (status === 404) assert.include(answer.body.message, `is ${index}`)
          }
          const wrong = yield* ask(`${path}/accounts/${other}`)
          assert.strictEqual(wrong.status, isSymbolFree ? 400 : 404)
        }
      }))

    const rule = isSymbolFree ? "any" : "no"
    it.effect(`takes every account index that it shows in a body, and ${rule} other symbol: ${path}/transactions-pool`, () =>
      Effect.gen(function*() {
        const accounts: Array<Json> = []
        for (const { id } of (yield* ask(`${path}/tokens?limit=50`)).body.tokens) {
          const page = yield* ask(`${path}/accounts?tokenIds=${id}&limit=1`)
          accounts.push(...page.body.accounts)
        }
        assert.isAbove(accounts.length, 3)
        const url = `${path}/transactions-pool`
        const { ast } = revision.bodies.transaction.schema
        const acceptsRequests = propertiesOf(ast).every(({ onlyNull }) => onlyNull === undefined)
        const nonce = 2 * revisionList.indexOf(revision)
        for (const [i, account] of accounts.entries()) {
          const other = accounts[(i + 1) % accounts.length]
          const request = acceptsRequests ? requestOf(other) : {}
          const right = { ...transferOf(account, nonce), ...request }
          for (const [property, value] of Object.entries(right)) {
            if (!property.endsWith("AccountIndex")) continue
            const wrong = String(value).replace(/:.*:/su, ":OTHER:")
            const answer = yield* post(url, { ...right, [property]: wrong })
            if (isSymbolFree) assert.deepStrictEqual(answer, { status: 200, body: right.id })
            else {
              assert.strictEqual(answer.status, 400)
              assert.deepStrictEqual(
                answer.body.errors.map(({ pointer, value }: Json) => [pointer, value]),
                [[`/${property}`, wrong]]
              )
              assert.include(answer.body.message, `expected ${value}, the account with this number`)
            }
          }
          assert.deepStrictEqual(yield* post(url, right), { status: 200, body: right.id })
          const shown = (yield* ask(`${url}/${right.id}`)).body
          for (const [property, value] of Object.entries(right)) {
            if (property.endsWith("AccountIndex")) assert.strictEqual(shown[property], value)
          }
          const exit = { ...transferOf(account, nonce + 1), type: "Exit" }
          for (const symbol of ["EXIT", "", "OTHER", account.token.symbol]) {
            const toAccountIndex = `zk:${symbol}:1`
            assert.deepStrictEqual(
              yield* post(url, { ...exit, toAccountIndex }),
              { status: 200, body: exit.id }
            )
          }
        }
      }))
  }

  it.effect("shows at most 1,025 forgers", () =>
    Effect.gen(function*() {
      for (const path of mounts) {
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
