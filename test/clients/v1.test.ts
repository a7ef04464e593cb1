import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { readFileSync } from "node:fs"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { bodyReader, bodyWriter, v1, wireContext } from "../../core/contract/mod.ts"
import { jsonOf, post, send } from "../submission/_post.ts"
import { network, queuedId, recordedNode } from "./_node.ts"

const pool = "/v1/transactions-pool"
const bodies = (JSON.parse(
  readFileSync(new URL("recorded_requests.json", import.meta.url), "utf8")
) as ReadonlyArray<{ readonly method: string; readonly url: string; readonly body?: Body }>)
  .filter(({ method }) => method === "POST")
interface Body {
  readonly [name: string]: unknown
}
const posted = (type: string): Body =>
  bodies.find(({ body, url }) => url === pool && body?.type === type)!.body!
const transfer = posted("Transfer")
const authorization = bodies.find(({ url }) => url === "/v1/account-creation-authorization")!.body!
/** Returns status, code and type of the answer to a request. */
const errorOf = ({ text, status }: { readonly status: number; readonly text: string }) => {
  const { code, type } = JSON.parse(text) as Body
  return [status, code, type]
}
const postTo = (path: string, body: Body) => post(path, JSON.stringify(body))

layer(recordedNode())("revision v1", (it) => {
  it.effect("answers each error with a message, the published code and type, and the problem", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [changes: Body, code: number, type: string]> = [
        [{ type: "Exit", toAccountIndex: "hez:ETH:1", amount: "0" }, 5, "ErrExitAmount0"],
        [{ type: "Exit" }, 6, "ErrInvalidTxTypeOrTxID"],
        [{ id: `0x02${"0".repeat(64)}` }, 6, "ErrInvalidTxTypeOrTxID"],
        [{ signature: "0".repeat(128) }, 11, "ErrInvalidSignature"],
        [{ amount: -1 }, 1, "ErrParamValidationFailed"],
        // an earlier batch, and a later one that is not the signed 0
        [{ maxNumBatch: 5 }, 1, "ErrParamValidationFailed"],
        [{ maxNumBatch: 2 ** 32 - 1 }, 11, "ErrInvalidSignature"],
        [{ toAccountIndex: "hez:ETH:999" }, 12, "ErrGettingReceiverAccount"],
        [{ toAccountIndex: "hez:HEZ:258" }, 9, "ErrAccountTokenNotEqualTxToken"]
      ]
      for (const [changes, code, type] of cases) {
        const answer = yield* postTo(pool, { ...transfer, ...changes })
        assert.deepStrictEqual(errorOf(answer), [400, code, type], JSON.stringify(changes))
        const problem = jsonOf(answer)
        assert.strictEqual(problem.problem, "urn:rollup-node-api:problem:invalid-input")
        assert.isNotEmpty(problem.message)
        assert.isNotEmpty(problem.errors)
      }
      assert.deepStrictEqual(errorOf(yield* send("/v1/tokens/99")), [404, 4, "ErrSQLNoRows"])
      assert.deepStrictEqual(errorOf(yield* send("/v1/nothing")), [
        404,
        undefined,
        "urn:rollup-node-api:problem:unknown-path"
      ])
    }))

  it.effect("answers other content under a stored identifier with 409, the older revisions with 400", () =>
    Effect.gen(function*() {
      const exit = posted("Exit")
      assert.strictEqual(exit.id, transfer.id)
      assert.strictEqual((yield* postTo(pool, transfer)).status, 200)
      assert.strictEqual((yield* postTo(pool, transfer)).status, 200)
      assert.deepStrictEqual(errorOf(yield* postTo(pool, exit)), [409, 2, "ErrDuplicatedKey"])
      const { maxNumBatch: _, ...older } = exit
      for (const mount of ["", "/earlier"]) {
        const answer = yield* postTo(`${mount}/transactions-pool`, older)
        assert.deepStrictEqual(errorOf(answer), [
          400,
          undefined,
          "urn:rollup-node-api:problem:conflict"
        ])
      }
    }))

  it.effect("shows a posted transaction with both spellings of the receiver's key", () =>
    Effect.gen(function*() {
      yield* postTo(pool, transfer)
      const shown = jsonOf(yield* send(`${pool}/${String(transfer.id)}`))
      assert.deepInclude(shown, {
        state: "pend",
        toBJJ: null,
        toBjj: null,
        nonce: 3,
        maxNumBatch: 0
      })
    }))

  it.effect("accepts lists with commas and bars, and reads no separator as part of a symbol", () =>
    Effect.gen(function*() {
      const symbols = (answer: { readonly text: string }) =>
        (JSON.parse(answer.text) as { tokens: ReadonlyArray<{ symbol: string }> }).tokens
          .map(({ symbol }) => symbol)
      for (const list of ["ETH|HEZ", "ETH%7CHEZ", "ETH,HEZ", "ETH,HEZ|ETH"]) {
        assert.deepStrictEqual(symbols(yield* send(`/v1/tokens?symbols=${list}`)), ["ETH", "HEZ"])
      }
      assert.deepStrictEqual(symbols(yield* send("/v1/tokens?ids=0|2&symbols=HEZ|ONE")), ["HEZ"])
      assert.deepStrictEqual(symbols(yield* send("/tokens?symbols=ETH|HEZ")), [])
      assert.strictEqual((yield* send("/tokens?ids=0|2")).status, 400)
      const [fault] = jsonOf(yield* send("/v1/tokens?ids=0|x")).errors as ReadonlyArray<Body>
      assert.strictEqual(fault!.value, "0|x")
    }))

  it.effect("reads a parameter without value as absent, and ignores tokenIds of the history", () =>
    Effect.gen(function*() {
      // as the published Flutter client sends them
      const same: ReadonlyArray<readonly [sent: string, meant: string]> = [
        ["batches?forgerAddr=&slotNum=&fromItem=", "batches"],
        ["coordinators?forgerAddr=&bidderAddr=&order=ASC", "coordinators?order=ASC"],
        ["bids?slotNum=5&bidderAddr=&fromItem=", "bids?slotNum=5"],
        ["transactions-history?tokenIds=2&limit=2", "transactions-history?limit=2"]
      ]
      for (const [sent, meant] of same) {
        const [answer, expected] = [yield* send(`/v1/${sent}`), yield* send(`/v1/${meant}`)]
        assert.deepStrictEqual([answer.status, answer.text], [200, expected.text], sent)
        assert.strictEqual((yield* send(`/${sent}`)).status, 400)
      }
      for (const refused of ["bids?slotNum=&bidderAddr=", "accounts?hez:ETH:256"]) {
        const answer = yield* send(`/v1/${refused}`)
        assert.deepStrictEqual(errorOf(answer), [400, 1, "ErrParamValidationFailed"])
      }
    }))

  it.effect("accepts the bodies of the published Go client", () =>
    Effect.gen(function*() {
      const { maxNumBatch: _, ...sent } = Object.fromEntries(
        Object.entries(transfer).filter(([name]) => !name.startsWith("request"))
      )
      const body = { ...sent, toHezEthereumAddress: "", toBjj: `hez:${"A".repeat(44)}` }
      const answer = yield* postTo(pool, body)
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [200, transfer.id])
      assert.strictEqual((yield* postTo("/transactions-pool", body)).status, 400)
      const signature = String(authorization.signature).slice(2)
      const path = "/account-creation-authorization"
      assert.strictEqual((yield* postTo(path, { ...authorization, signature })).status, 400)
      assert.strictEqual((yield* postTo(`/v1${path}`, { ...authorization, signature })).status, 200)
      assert.strictEqual((yield* postTo(`/v1${path}`, authorization)).status, 200)
    }))

  it.effect("finds tokens by contract address, which the older revisions refuse", () =>
    Effect.gen(function*() {
      const address = (digit: number) => `0x${String(digit).repeat(40)}`
      const answer = yield* send(`/v1/tokens?addresses=${address(2)}|${address(0)}|${address(9)}`)
      const { tokens } = jsonOf(answer) as {
        readonly tokens: ReadonlyArray<{ readonly symbol: string }>
      }
      assert.deepStrictEqual(tokens.map(({ symbol }) => symbol), ["ETH", "HEZ"])
      for (const mount of ["", "/earlier"]) {
        const refused = yield* send(`${mount}/tokens?addresses=${address(2)}`)
        assert.strictEqual(refused.status, 400)
        assert.include(refused.text, `only revision \\"v1\\" supports it`)
      }
    }))

  it.effect("lists the latest registration of each bidder, by bidder and by forger", () =>
    Effect.gen(function*() {
      const [one, two, forger] = ["b1", "b2", "f1"].map((end) => `0x${end.padStart(40, "0")}`)
      const urls = (path: string) =>
        Effect.map(send(path), (answer) => {
          const { coordinators, pendingItems } = jsonOf(answer) as {
            readonly coordinators: ReadonlyArray<{ readonly URL: string }>
            readonly pendingItems: number
          }
          return [coordinators.map(({ URL }) => URL).join(" "), pendingItems]
        })
      assert.deepStrictEqual(yield* urls("/v1/coordinators"), ["http://two http://one.new", 0])
      assert.deepStrictEqual(yield* urls("/v1/coordinators?limit=1"), ["http://two", 1])
      assert.deepStrictEqual(yield* urls(`/v1/coordinators?bidderAddr=${one}`), [
        "http://one.new",
        0
      ])
      assert.deepStrictEqual(yield* urls(`/v1/coordinators?forgerAddr=${forger}`), [
        "http://two",
        0
      ])
      assert.deepStrictEqual(yield* urls(`/v1/coordinators?bidderAddr=${two}&order=DESC`), [
        "http://two",
        0
      ])
      assert.deepStrictEqual(yield* urls(`/v1/coordinators?forgerAddr=${one}`), ["", 0])
      assert.deepStrictEqual(yield* urls("/coordinators?limit=9"), [
        "http://one http://two http://one.new",
        0
      ])
      assert.strictEqual((yield* send(`/coordinators?forgerAddr=${forger}`)).status, 400)
      // no parameter of this revision: it is ignored
      assert.deepStrictEqual(yield* urls("/v1/coordinators?onlyLatest=false"), [
        "http://two http://one.new",
        0
      ])
    }))

  it.effect("refuses another symbol in the path of an account, which the other revisions do not find", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send("/v1/accounts/hez:HEZ:258")).status, 200)
      const wrong = yield* send("/v1/accounts/hez:ETH:258")
      assert.deepStrictEqual(errorOf(wrong), [400, 1, "ErrParamValidationFailed"])
      assert.include(wrong.text, "expected the symbol HEZ of the account")
      assert.strictEqual((yield* send("/v1/accounts/hez:HEZ:999")).status, 404)
      for (const path of ["accounts", "earlier/accounts"]) {
        assert.strictEqual((yield* send(`/${path}/hez:HEZ:258`)).status, 200)
        const unknown = yield* send(`/${path}/hez:ETH:258`)
        assert.strictEqual(unknown.status, 404)
        assert.include(unknown.text, "the account with this number is hez:HEZ:258")
      }
    }))

  it.effect("answers a list with an unregistered filter with an empty page, the older revisions with 404", () =>
    Effect.gen(function*() {
      for (
        const query of [
          "exits?tokenId=99",
          "accounts?tokenIds=99",
          "transactions-history?batchNum=99"
        ]
      ) {
        const answer = yield* send(`/v1/${query}`)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(jsonOf(answer).pendingItems, 0)
        assert.strictEqual((yield* send(`/${query}`)).status, 404)
      }
    }))

  it.effect("answers an authorization with an object, and a repeated one with the same", () =>
    Effect.gen(function*() {
      for (const path of ["/v1", "/v1", ""]) {
        const answer = yield* postTo(`${path}/account-creation-authorization`, authorization)
        assert.deepStrictEqual(
          [answer.status, answer.text, answer.headers.get("content-type")],
          path === "" ? [200, "", null] : [200, `{"success":"OK"}`, "application/json"]
        )
      }
    }))

  it.effect("writes the large integers of the configuration as numbers with all their digits", () =>
    Effect.gen(function*() {
      const { text } = yield* send("/v1/config")
      assert.include(
        text,
        `"limitDepositAmount":${2n ** 128n},"limitL2TransferAmount":${2n ** 192n},`
      )
      assert.include(text, `"chainId":1337`)
    }))

  it.effect("shows account indexes of an L1 transaction with the symbols of the accounts", () =>
    Effect.gen(function*() {
      for (const mount of ["", "/earlier", "/v1"]) {
        const shown = jsonOf(yield* send(`${mount}/transactions-history/${queuedId}`))
        assert.deepInclude(shown, {
          fromAccountIndex: "hez:ETH:256",
          toAccountIndex: "hez:ETH:257",
          amount: "5"
        })
        assert.strictEqual((shown.token as { symbol: string }).symbol, "HEZ")
      }
    }))

  it("reads and writes the last batch of a transaction; 0 is none", () => {
    const context = wireContext(network, keccak256)
    const [read, write] = [
      bodyReader(v1.bodies.transaction, context),
      bodyWriter(v1.bodies.transaction, context)
    ]
    for (const [sent, maxNumBatch] of [[0, undefined], [null, undefined], [7, 7]] as const) {
      const value = Result.getOrThrow(read(JSON.stringify({ ...transfer, maxNumBatch: sent })))
      assert.strictEqual(value.maxNumBatch, maxNumBatch)
      assert.deepStrictEqual(Result.getOrThrow(read(write(value))), value)
    }
  })
})

layer(recordedNode())("the state of revision v1", (it) => {
  it.effect("shows the load of the pool in the state, also right after a post, and queued L1 transactions", () =>
    Effect.gen(function*() {
      interface State {
        readonly node: { readonly forgeDelay: number; readonly poolLoad: number }
        readonly network: { readonly pendingL1Transactions: number }
        readonly metrics: { readonly estimatedTimeToForgeL1: number }
      }
      const state = Effect.map(send("/v1/state"), ({ text }) => JSON.parse(text) as State)
      const { metrics, network, node } = yield* state
      assert.deepStrictEqual([network.pendingL1Transactions, node.forgeDelay], [1, 0])
      assert.isAtLeast(metrics.estimatedTimeToForgeL1, 0)
      assert.strictEqual((yield* postTo(pool, transfer)).status, 200)
      assert.strictEqual((yield* state).node.poolLoad, node.poolLoad + 1)
      for (const mount of ["", "/earlier"]) {
        assert.notProperty(jsonOf(yield* send(`${mount}/state`)), "node")
      }
    }))
})
