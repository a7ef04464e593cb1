import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Answer, type Outcome, rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { parseExact, writeExact } from "../../adapters/client/_exact_json.ts"
import { defaultNetwork } from "../../app/simulator/mod.ts"
import type { RollupNode } from "../../app/embed/mod.ts"
import {
  operations,
  type Revision,
  revisionList,
  wireContext,
  answerShape,
  wireSchema
} from "../../core/contract/mod.ts"
import { clientOf, openedNode } from "./_node.ts"

/* The client against the application in memory: no socket, no server. */

let node: RollupNode
beforeAll(async () => {
  node = await openedNode()
})
afterAll(() => node.close())

const answered = <T>(outcome: Outcome<T>): Answer<T> =>
  outcome.ok ? outcome : assert.fail(outcome.message)

/** Returns parameters for every read operation, from the network. */
const parametersOf = async () => {
  const { client } = clientOf(node)
  const account = valueOf(await client.getAccounts({ limit: 1 })).accounts[0]!
  const exit = valueOf(await client.getExits({ limit: 1 })).exits[0]!
  const transaction = valueOf(await client.getHistoryTxs({ limit: 1 })).transactions[0]!
  const coordinator = valueOf(await client.getCoordinators({ limit: 1 })).coordinators[0]!
  return {
    getAccounts: { limit: 7 },
    getAccount: { accountIndex: account.accountIndex },
    getExits: { onlyPendingWithdraws: undefined, limit: 9 },
    getExit: { batchNum: exit.batchNum, accountIndex: exit.accountIndex },
    getHistoryTxs: { order: "DESC" },
    getHistoryTx: { id: transaction.id },
    getBatches: { maxBatchNum: 5 },
    getBatch: { batchNum: 2 },
    getFullBatch: { batchNum: 3 },
    getSlots: { limit: 4 },
    getSlot: { slotNum: 4294967295 },
    getBids: { slotNum: 1 },
    getState: {},
    getConfig: {},
    getTokens: { ids: [0, 1] },
    getToken: { id: 0 },
    getCoordinators: {},
    getCoordinator: { bidderAddr: coordinator.bidderAddr }
  } as const
}

const schemaOf = (id: keyof typeof operations, revision: Revision) => {
  const context = wireContext(defaultNetwork, keccak256)
  const operation = operations[id]
  return wireSchema(answerShape(operation, revision).schema, context)
}

describe("reading", () => {
  for (const revision of revisionList) {
    it(`returns the values that revision ${revision.name} declares for every read operation, with their snapshot`, async () => {
      const client = rollupClient({
        url: "http://node",
        revision: revision.name as "later",
        fetch: node.fetch
      })
      const { snapshotId } = await node.state()
      const parameters = await parametersOf()
      assert.strictEqual(Object.keys(parameters).length, Object.keys(operations).length - 2)
      for (const [id, callParameters] of Object.entries(parameters)) {
        const call = client[id as "getState"] as unknown as (
          parameters: unknown
        ) => Promise<Outcome<unknown>>
        const answer = answered(await call(callParameters))
        Schema.decodeUnknownSync(schemaOf(id as keyof typeof operations, revision), {
          onExcessProperty: "error"
        })(answer.value)
        assert.deepStrictEqual(answer.snapshot, snapshotId, id)
      }
    })
  }

  it("sends lists of values, and leaves out undefined ones", async () => {
    const { client, seen } = clientOf(node)
    assert.deepStrictEqual(
      valueOf(await client.getTokens({ ids: [1, 0], limit: 5 })).tokens.map(({ id }) => id),
      [0, 1]
    )
    await client.getTokens({ symbols: ["ETH", "D&I"], name: "a b?" })
    assert.deepStrictEqual(seen.map(({ request }) => request.url), [
      "http://node/tokens?ids=1%2C0&limit=5",
      "http://node/tokens?symbols=ETH%2CD%26I&name=a%20b%3F"
    ])
    await client.getAccounts()
    assert.strictEqual(seen.at(-1)!.request.url, "http://node/accounts")
  })

  it("includes the path of a mount", async () => {
    const requests: Array<string> = []
    const client = rollupClient({
      url: "http://node/earlier/?x#y",
      revision: "earlier",
      fetch: (request) => {
        requests.push(request.url)
        return node.fetch(request)
      }
    })
    assert.isNumber(valueOf(await client.getTokens()).pagination.totalItems)
    assert.deepStrictEqual(requests, ["http://node/earlier/tokens"])
  })

  it("uses the names of the network", async () => {
    const other = await openedNode("hez", 12)
    const client = rollupClient({ url: "http://node", prefix: "hez", fetch: other.fetch })
    const { hezEthereumAddress } = valueOf(await client.getAccounts({ limit: 1 })).accounts[0]!
    assert.match(hezEthereumAddress, /^hez:0x/u)
    const { accounts } = valueOf(await client.getAccounts({ hezEthereumAddress }))
    assert.isNotEmpty(accounts)
    for (const account of accounts) {
      assert.strictEqual(account.hezEthereumAddress, hezEthereumAddress)
    }
    const unknown = await client.getAccountCreationAuthorization({ hezEthereumAddress })
    assert.strictEqual(!unknown.ok && unknown._tag === "Refused" ? unknown.name : "", "not-found")
    await other.close()
  })
})

describe("a cached answer", () => {
  it("is revalidated with a 304, and returned as the same frozen value with the current snapshot", async () => {
    const { client, seen } = clientOf(node)
    const first = answered(await client.getBatch({ batchNum: 1 }))
    const again = answered(await client.getBatch({ batchNum: 1 }))
    assert.deepStrictEqual(seen.map(({ response }) => response.status), [200, 304])
    assert.strictEqual(again.value, first.value)
    assert.isTrue(Object.isFrozen(first.value) && Object.isFrozen(first.value.collectedFees))
    assert.deepStrictEqual(again.snapshot, (await node.state()).snapshotId)
  })

  it("is replaced when it has changed", async () => {
    const { client, seen } = clientOf(node)
    const { USD } = valueOf(await client.getToken({ id: 0 }))
    await node.setPrices([{
      tokenId: 0,
      priceUSD: 1234.5,
      timeMs: (await node.state()).state.lastBatch!.timestampMs
    }])
    assert.strictEqual(valueOf(await client.getToken({ id: 0 })).USD, 1234.5)
    assert.notStrictEqual(USD, 1234.5)
    assert.deepStrictEqual(seen.map(({ response }) => response.status), [200, 200])
  })

  it("is evicted beyond a bound, the least recently used first", async () => {
    const size = 2000
    const { client, seen } = clientOf(node, { rememberedMax: size })
    const slots = Array.from({ length: 30 }, (_, slotNum) => slotNum)
    await client.getSlot({ slotNum: 1000 })
    for (const slotNum of slots) {
      await client.getSlot({ slotNum })
      await client.getSlot({ slotNum: 1000 })
    }
    const statuses = seen.map(({ response }) => response.status)
    assert.strictEqual(statuses.filter((status) => status === 304).length, slots.length)
    for (const slotNum of slots) await client.getSlot({ slotNum })
    assert.strictEqual(seen.at(-slots.length)!.response.status, 200)
    const none = clientOf(node, { rememberedMax: 0 })
    await none.client.getConfig()
    await none.client.getConfig()
    assert.deepStrictEqual(none.seen.map(({ response }) => response.status), [200, 200])
  })
})

describe("numbers", () => {
  it("keep all their digits where the contract allows large values, and are plain numbers elsewhere", () => {
    assert.deepStrictEqual(
      parseExact(
        `{"nonce":18446744073709551615,"itemId":9007199254740991,"name":"1234567890123456789","USD":0.1234567890123456,"fee":3}`
      ),
      {
        nonce: 18446744073709551615n,
        itemId: 9007199254740991,
        name: "1234567890123456789",
        USD: 0.1234567890123456,
        fee: 3
      }
    )
    assert.deepStrictEqual(
      parseExact(`[{"nonce":0,"ethereumBlockNum":9007199254740993,"instantWithdrawn":null}]`),
      [{ nonce: 0n, ethereumBlockNum: 9007199254740993n, instantWithdrawn: null }]
    )
  })

  it("in strings are not changed, with any characters around them", () => {
    for (
      const text of [
        'a\\":12345678901234567890',
        "\\\\",
        '{"nonce":12345678901234567890}',
        "\u0000integer",
        ":1234567890123456789,"
      ]
    ) {
      const value = { nonce: 5, name: text, ["x".repeat(3)]: [text, `${text}9999999999999999999`] }
      assert.deepStrictEqual(parseExact(JSON.stringify(value)), { ...value, nonce: 5n })
    }
  })

  it("are parsed in linear time", () => {
    const text = `{"name":"${'\\"1'.repeat(200_000)}","nonce":12345678901234567890,"all":[${
      "1.5e3,".repeat(100_000)
    }1]}`
    const { all, nonce } = parseExact(text) as { nonce: bigint; all: ReadonlyArray<number> }
    assert.strictEqual(nonce, 12345678901234567890n)
    assert.strictEqual(all.length, 100_001)
  })

  it("of a body keep all their digits at any depth", () => {
    const nonce = 12345678901234567890n
    const body = { id: 'é"', none: null, left: undefined, list: [{ nonce }, [nonce, true, 0.5]] }
    assert.strictEqual(
      writeExact(body),
      `{"id":"é\\"","none":null,"list":[{"nonce":${nonce}},[${nonce},true,0.5]]}`
    )
  })

  it("in invalid JSON are refused with a SyntaxError", () => {
    for (const text of ["", "{", "01234567890123456789", "<html>1234567890123456", '{"a":1,}']) {
      assert.throws(() => parseExact(text), SyntaxError)
    }
  })
})
