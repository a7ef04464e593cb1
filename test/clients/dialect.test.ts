/* How revision v1 reads requests, and how it answers them, unlike the other revisions. */
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { bodyReader, bodyWriter, v1, wireContext } from "../../core/contract/mod.ts"
import { faultsOf, jsonOf, post, send } from "../submission/_post.ts"
import { network, recordedNode } from "./_node.ts"
import { type Body, bodyOf, errorOf, postBody, shownAt, withoutRequest } from "./_recorded.ts"

const pool = "/v1/transactions-pool"
const authorizations = "/account-creation-authorization"
const transfer = bodyOf("transactions-pool", "Transfer")
const authorization = bodyOf("account-creation-authorization")
const others = ["", "/earlier"]

const history = "transactions-history"
const booleans = {
  true: ["1", "t", "T", "TRUE", "True"],
  false: ["0", "f", "F", "FALSE", "False"]
}

/** Requests that only v1 understands, and the same ones in the notation of all revisions. */
const notations: {
  readonly [fact: string]: ReadonlyArray<readonly [sent: string, meant: string]>
} = {
  "booleans as Go reads them": Object.entries(booleans).flatMap(([value, spellings]) =>
    spellings.map((text) =>
      [`${history}?includePendingL1s=${text}`, `${history}?includePendingL1s=${value}`] as const
    )
  ),
  "leading zeros in numbers": [
    ["tokens?limit=002&fromItem=0001", "tokens?limit=2&fromItem=1"],
    [`batches/${"0".repeat(3000)}3`, "batches/3"],
    ["accounts/hez:ETH:000256", "accounts/hez:ETH:256"],
    ["accounts?tokenIds=00,002", "accounts?tokenIds=0,2"],
    [`${history}?accountIndex=hez:ETH:0256`, `${history}?accountIndex=hez:ETH:256`],
    ["slots?minSlotNum=00&maxSlotNum=07", "slots?minSlotNum=0&maxSlotNum=7"]
  ],
  "unknown parameters": [
    ["tokens/1?x=1", "tokens/1"],
    ["state?x&y=%zz", "state"],
    ["batches?%ff=1&unknown=2", "batches"],
    [`${history}?maxSlothNum=x`, history],
    ["accounts/hez:ETH:256?tokenIds=1", "accounts/hez:ETH:256"],
    [`${history}?tokenIds=2&limit=2`, `${history}?limit=2`],
    ["coordinators?onlyLatest=false", "coordinators"]
  ],
  "a repeated parameter, of which the first counts, also an absent one": [
    ["tokens?limit=1&limit=2", "tokens?limit=1"],
    ["tokens?limit=1&limit=x&limit=%zz", "tokens?limit=1"],
    ["accounts?tokenIds=2&limit=5&tokenIds=x", "accounts?tokenIds=2&limit=5"],
    ["tokens?limit=&limit=1", "tokens"]
  ],
  // as the published Flutter client sends them
  "a parameter without value, as if it were absent": [
    ["batches?forgerAddr=&slotNum=&fromItem=", "batches"],
    ["coordinators?forgerAddr=&bidderAddr=&order=ASC", "coordinators?order=ASC"],
    ["bids?slotNum=5&bidderAddr=&fromItem=", "bids?slotNum=5"]
  ],
  "lists with bars": [
    ["tokens?ids=0|2&symbols=HEZ|ONE", "tokens?ids=0,2&symbols=HEZ,ONE"],
    ["tokens?ids=2%7C0,2", "tokens?ids=0,2"]
  ],
  "the address of a contract": [
    [
      `tokens?addresses=0x${"2".repeat(40)}|0x${"0".repeat(40)}|0x${"9".repeat(40)}`,
      "tokens?ids=0,2"
    ]
  ]
}

const decimal = "a decimal integer from 1 to 2049, without sign"
const goBoolean = "one of 1, t, T, TRUE, true, True, 0, f, F, FALSE, false, False"
/** Requests that break one rule. */
const broken: ReadonlyArray<readonly [path: string, rule: string]> = [
  ...["yes", "tRUE", "00", "01", "on", "%20true"].map((text) =>
    [`/v1/${history}?includePendingL1s=${text}`, goBoolean] as const
  ),
  ...others.map((mount) => [`${mount}/slots?finishedAuction=True`, "true or false"] as const),
  ...["%2B5", "-5", "+5", "0x5", "5.0", "05e0", "1_0", "%20", "0000", "x&limit=1"].map((text) =>
    [`/v1/tokens?limit=${text}`, decimal] as const
  ),
  ["/v1/tokens?limit=%zz&limit=1", "percent-encoded UTF-8"],
  // the only list that refuses unknown parameters
  ["/v1/accounts?tokenId=0&limit=5", "a known parameter"],
  ["/v1/accounts?%ff=1", "percent-encoded UTF-8"],
  [
    "/v1/tokens?ids=0|x",
    `token identifiers separated by commas, each a decimal integer from 0 to 4294967295, without sign; found "x"`
  ]
]

/** Changes of a recorded transfer, and the published error. */
const refusedPosts: ReadonlyArray<readonly [changes: Body, code: number, type: string]> = [
  [{ type: "Exit", toAccountIndex: "hez:ETH:1", amount: "0" }, 5, "ErrExitAmount0"],
  [{ type: "Exit" }, 6, "ErrInvalidTxTypeOrTxID"],
  [{ id: `0x02${"0".repeat(64)}` }, 6, "ErrInvalidTxTypeOrTxID"],
  [{ signature: "0".repeat(128) }, 11, "ErrInvalidSignature"],
  [{ amount: -1 }, 1, "ErrParamValidationFailed"],
  // bytes of the signed message: no value of the contract fits
  [{ fee: 256 }, 1, "ErrParamValidationFailed"],
  [{ nonce: 2 ** 40 }, 1, "ErrParamValidationFailed"],
  // an earlier batch, and a later one that is not the signed 0
  [{ maxNumBatch: 5 }, 1, "ErrParamValidationFailed"],
  [{ maxNumBatch: 2 ** 32 - 1 }, 11, "ErrInvalidSignature"],
  [{ toAccountIndex: "hez:ETH:999" }, 12, "ErrGettingReceiverAccount"],
  [{ toAccountIndex: "hez:HEZ:258" }, 9, "ErrAccountTokenNotEqualTxToken"]
]

layer(recordedNode())("a request to revision v1", (it) => {
  for (const [fact, rows] of Object.entries(notations)) {
    it.effect(`may have ${fact}; the other revisions refuse it`, () =>
      Effect.gen(function*() {
        for (const [sent, meant] of rows) {
          const [answer, expected] = [yield* send(`/v1/${sent}`), yield* send(`/v1/${meant}`)]
          assert.deepStrictEqual([answer.status, answer.text], [200, expected.text], sent)
          for (const mount of others) {
            assert.strictEqual((yield* send(`${mount}/${sent}`)).status, 400, `${mount}/${sent}`)
          }
        }
      }))
  }

  it.effect("may leave out 0x of the id of a transaction", () =>
    Effect.gen(function*() {
      const { transactions } = yield* shownAt(`/v1/${history}?limit=1`)
      const { id } = (transactions as ReadonlyArray<{ readonly id: string }>)[0]!
      const expected = yield* send(`/v1/${history}/${id}`)
      for (const text of [id.slice(2), id.slice(2).toUpperCase()]) {
        const answer = yield* send(`/v1/${history}/${text}`)
        assert.deepStrictEqual([answer.status, answer.text], [200, expected.text])
        for (const path of [`/${history}/${text}`, `/v1/${history}/0x0x${text}`]) {
          assert.isNotEmpty(faultsOf(yield* send(path)), path)
        }
      }
    }))

  it.effect("is refused with the rule that it breaks", () =>
    Effect.gen(function*() {
      for (const [path, rule] of broken) {
        const answer = yield* send(path)
        assert.strictEqual(answer.status, 400, path)
        assert.deepStrictEqual(faultsOf(answer).map((fault) => fault.rule), [rule], path)
      }
      for (const path of ["bids?slotNum=&bidderAddr=", "accounts?hez:ETH:256"]) {
        const answer = yield* send(`/v1/${path}`)
        assert.deepStrictEqual(errorOf(answer), [400, 1, "ErrParamValidationFailed"])
      }
    }))

  it.effect("reads no separator as part of a symbol", () =>
    Effect.gen(function*() {
      const symbols = (path: string) =>
        Effect.map(shownAt(path), ({ tokens }) =>
          (tokens as ReadonlyArray<{ readonly symbol: string }>).map(({ symbol }) =>
            symbol
          ))
      for (const list of ["ETH|HEZ", "ETH%7CHEZ", "ETH,HEZ", "ETH,HEZ|ETH"]) {
        assert.deepStrictEqual(yield* symbols(`/v1/tokens?symbols=${list}`), ["ETH", "HEZ"])
      }
      assert.deepStrictEqual(yield* symbols("/tokens?symbols=ETH|HEZ"), [])
    }))

  it.effect("may name what is not registered, which has no items; the other revisions answer with 404", () =>
    Effect.gen(function*() {
      for (
        const [query, list] of [
          ["exits?tokenId=99", "exits"],
          ["accounts?tokenIds=99", "accounts"],
          [`${history}?batchNum=99`, "transactions"],
          [`${history}?batchNum=099`, "transactions"]
        ] as const
      ) {
        const { status, text } = yield* send(`/v1/${query}`)
        assert.deepStrictEqual([status, JSON.parse(text)], [200, { [list]: [], pendingItems: 0 }])
        assert.strictEqual((yield* send(`/${query.replace("099", "99")}`)).status, 404)
      }
    }))
})

layer(recordedNode())("a filter of revision v1 with several tokens", (it) => {
  it.effect("leaves out the unregistered ones; the other revisions answer with 404", () =>
    Effect.gen(function*() {
      for (
        const [query, registered] of [
          ["tokens?ids=0,99,98,2", "tokens?ids=0,2"],
          ["accounts?limit=3&tokenIds=99,2", "accounts?limit=3&tokenIds=2"],
          ["accounts?tokenIds=98,99", "accounts?tokenIds=99"]
        ]
      ) {
        const [answer, expected] = [
          yield* send(`/v1/${query}`),
          yield* send(`/v1/${registered}`)
        ]
        assert.deepStrictEqual([answer.status, answer.text], [200, expected.text], query)
        assert.strictEqual((yield* send(`/${query}`)).status, 404)
      }
    }))
})

layer(recordedNode())("a body that is posted to revision v1", (it) => {
  it.effect("is refused with a message, the published code and type, and the problem", () =>
    Effect.gen(function*() {
      for (const [changes, code, type] of refusedPosts) {
        const answer = yield* postBody(pool, { ...transfer, ...changes })
        assert.deepStrictEqual(errorOf(answer), [400, code, type], JSON.stringify(changes))
        const { errors, message, problem } = jsonOf(answer)
        assert.strictEqual(problem, "urn:rollup-node-api:problem:invalid-input")
        assert.isNotEmpty(message)
        assert.isNotEmpty(errors)
      }
      assert.deepStrictEqual(errorOf(yield* send("/v1/tokens/99")), [404, 4, "ErrSQLNoRows"])
      const unknownPath = "urn:rollup-node-api:problem:unknown-path"
      assert.deepStrictEqual(errorOf(yield* send("/v1/nothing")), [404, undefined, unknownPath])
    }))

  it.effect("may have unknown properties, also in a group, and leading zeros in strings of digits", () =>
    Effect.gen(function*() {
      const more = { unknown: { a: [1, null] }, token: { id: 1 }, itemId: 7, __proto: null }
      // a repeated unknown property is as unknown as a single one
      const text = (body: Body) => `{"unknown":1,${JSON.stringify({ ...body, ...more }).slice(1)}`
      const sent = {
        ...transfer,
        amount: `00${String(transfer.amount)}`,
        fromAccountIndex: String(transfer.fromAccountIndex).replace(/(\d+)$/u, "0$1")
      }
      const answer = yield* post(`${pool}?x=1`, text(sent))
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [200, transfer.id])
      const { amount, fromAccountIndex } = transfer
      // both spellings of the receiver's key are shown
      assert.deepInclude(yield* shownAt(`${pool}/${String(transfer.id)}`), {
        amount,
        fromAccountIndex,
        state: "pend",
        toBJJ: null,
        toBjj: null,
        nonce: 3,
        maxNumBatch: 0
      })
      assert.strictEqual((yield* post(`/v1${authorizations}`, text(authorization))).status, 200)
      const group = { atomicGroupId: `0x${"0".repeat(64)}`, x: 1, transactions: [more, more] }
      const faults = faultsOf(yield* postBody("/v1/atomic-pool", group))
      assert.isNotEmpty(faults)
      assert.isFalse(faults.some(({ rule }) => rule === "a known property"))
      for (const mount of others) {
        const { maxNumBatch: _, ...body } = transfer
        const refused = yield* postBody(`${mount}/transactions-pool`, { ...body, unknown: 1 })
        assert.strictEqual(refused.status, 400)
        assert.include(refused.text, `Unknown property \\"unknown\\"`)
      }
    }))

  it.effect("has strict JSON, and every known property once", () =>
    Effect.gen(function*() {
      const repeated = `{"amount":"1",${JSON.stringify(transfer).slice(1)}`
      const zeros = JSON.stringify(transfer).replace(/"nonce":(\d)/u, '"nonce":0$1')
      for (const text of [repeated, zeros]) {
        assert.strictEqual((yield* post(pool, text)).status, 400)
      }
    }))

  it.effect("with other content under a stored identifier is refused with 409, in the other revisions with 400", () =>
    Effect.gen(function*() {
      const exit = bodyOf("transactions-pool", "Exit")
      assert.strictEqual(exit.id, transfer.id)
      assert.strictEqual((yield* postBody(pool, transfer)).status, 200)
      assert.deepStrictEqual(errorOf(yield* postBody(pool, exit)), [409, 2, "ErrDuplicatedKey"])
      const { maxNumBatch: _, ...older } = exit
      for (const mount of others) {
        const answer = yield* postBody(`${mount}/transactions-pool`, older)
        const problem = "urn:rollup-node-api:problem:conflict"
        assert.deepStrictEqual(errorOf(answer), [400, undefined, problem])
      }
    }))

  it.effect("may be that of the published Go client, and an authorization may be repeated", () =>
    Effect.gen(function*() {
      const { maxNumBatch: _, ...sent } = withoutRequest(transfer)
      const body = { ...sent, toHezEthereumAddress: "", toBjj: `hez:${"A".repeat(44)}` }
      const answer = yield* postBody(pool, body)
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text)], [200, transfer.id])
      assert.strictEqual((yield* postBody("/transactions-pool", body)).status, 400)
      const short = { ...authorization, signature: String(authorization.signature).slice(2) }
      assert.strictEqual((yield* postBody(authorizations, short)).status, 400)
      const success = [200, `{"success":"OK"}`, "application/json"]
      for (
        const [path, posted, expected] of [
          [`/v1${authorizations}`, short, success],
          [`/v1${authorizations}`, authorization, success],
          [authorizations, authorization, [200, "", null]]
        ] as const
      ) {
        const { headers, status, text } = yield* postBody(path, posted)
        assert.deepStrictEqual([status, text, headers.get("content-type")], [...expected])
      }
    }))

  it("has the last batch of a transaction; 0 is none", () => {
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
