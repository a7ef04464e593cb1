import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Failure, RequestFailed, rollupClient } from "../../adapters/client/mod.ts"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { revisions, type RevisionName } from "../../core/contract/mod.ts"
import { clientOf, json, refusal, scripted } from "./_node.ts"

// each revision has this name of a list, and other types
const revisionNames = Object.keys(revisions) as ReadonlyArray<RevisionName>

/** Returns a node whose chain grows and rolls back on demand. */
const growingNode = async (seed: string) => {
  const simulation = simulate({
    seed,
    users: 14,
    transactionsPerBlock: 6,
    rollBackPeriodBlocks: 5,
    exitShare: 0.1,
    placeholderRoots: true
  })
  const node = await openNode({ genesis: simulation.genesis })
  let rollBacks = 0
  const advance = async (records: number) => {
    for (let i = 0; i < records; i++) {
      const record = simulation.next()
      if (record.kind === "rollBack") rollBacks++
      await node.applyRecord(record)
    }
  }
  await advance(14)
  return { node, advance, rollBacks: () => rollBacks }
}

const collect = async <T>(items: AsyncIterable<T>): Promise<ReadonlyArray<T>> => {
  const all: Array<T> = []
  for await (const item of items) all.push(item)
  return all
}

const failureOf = (items: AsyncIterable<unknown>): Promise<Failure> =>
  collect(items).then(
    () => assert.fail("It ended well"),
    (error: unknown) => error instanceof RequestFailed ? error.failure : assert.fail(String(error))
  )

describe("paging through a list", () => {
  let standing: RollupNode
  beforeAll(async () => {
    standing = (await growingNode("standing")).node
  })
  afterAll(() => standing.close())

  for (const revision of revisionNames) {
    it(`ascending misses no item that remains and repeats none, through rollbacks (${revision})`, async () => {
      const { advance, node, rollBacks } = await growingNode(`up ${revision}`)
      const client = rollupClient({ url: "http://node", revision, fetch: node.fetch })
      const received = new Map<number, string>()
      const before = rollBacks()
      let [last, pages, grows] = [-1, 0, 16]
      for await (const { value } of client.pages("getHistoryTxs", { limit: 3 })) {
        pages++
        for (const { id, itemId } of value.transactions) {
          assert.isAbove(itemId, last)
          last = itemId
          received.set(itemId, id)
        }
        if (grows-- > 0) await advance(1)
      }
      assert.isAbove(rollBacks(), before)
      assert.isAbove(pages, 20)
      const there = await collect(client.items("getHistoryTxs"))
      assert.isNotEmpty(there)
      for (const { id, itemId } of there) {
        assert.strictEqual(received.get(itemId), id, `item ${itemId}`)
      }
      await node.close()
    })
  }

  it("descending returns all remaining items, newest first", async () => {
    const { advance, node } = await growingNode("down")
    const { client } = clientOf(node)
    const before = await collect(client.items("getAccounts"))
    const received: Array<number> = []
    let grows = 10
    for await (const { itemId } of client.items("getAccounts", { order: "DESC", limit: 2 })) {
      received.push(itemId)
      if (grows-- > 0) await advance(1)
    }
    const there = new Set((await collect(client.items("getAccounts"))).map(({ itemId }) => itemId))
    assert.deepStrictEqual(received, received.toSorted((a, b) => b - a))
    assert.strictEqual(new Set(received).size, received.length)
    for (const { itemId } of before) if (there.has(itemId)) assert.include(received, itemId)
    await node.close()
  })

  it("requests no page beyond the end, in either direction and in each revision", async () => {
    for (const order of ["ASC", "DESC"] as const) {
      for (const revision of revisionNames) {
        let requests = 0
        const client = rollupClient({
          url: "http://node",
          revision,
          fetch: (request) => {
            requests++
            return standing.fetch(request)
          }
        })
        const all = await collect(client.items("getTokens", { order }))
        for (const limit of [1, 2, all.length, all.length + 1]) {
          requests = 0
          assert.deepStrictEqual(await collect(client.items("getTokens", { order, limit })), all)
          assert.strictEqual(
            requests,
            Math.ceil(all.length / limit),
            `${revision} ${order} ${limit}`
          )
        }
        assert.deepStrictEqual(
          await collect(client.items("getTokens", { order, fromItem: all[1]!.itemId })),
          all.slice(1)
        )
      }
    }
  })

  it("ends if the list is empty, and throws a permanent failure", async () => {
    const { client } = clientOf(standing)
    assert.deepStrictEqual(await collect(client.items("getBids", { slotNum: 4_000_000_000 })), [])
    const refused = await failureOf(client.items("getAccounts", { tokenIds: [99] }))
    assert.strictEqual(refused._tag === "Refused" ? refused.name : "", "not-registered")
  })

  it("continues after a page that was refused temporarily", async () => {
    const page = (itemIds: ReadonlyArray<number>, pendingItems: number) =>
      json(JSON.stringify({ tokens: itemIds.map((itemId) => ({ itemId })), pendingItems }))
    const { requests, fetch } = scripted(
      page([0, 2], 3),
      refusal(503, "busy", { "retry-after": "1" }),
      page([5, 7], 1),
      page([9], 0)
    )
    const client = rollupClient({ url: "http://node", fetch, wait: () => Promise.resolve() })
    assert.deepStrictEqual(
      (await collect(client.items("getTokens", { limit: 2 }))).map(({ itemId }) => itemId),
      [0, 2, 5, 7, 9]
    )
    assert.deepStrictEqual(requests.map(({ url }) => new URL(url).searchParams.get("fromItem")), [
      null,
      "3",
      "3",
      "8"
    ])
  })

  it("aborts the request with its signal", async () => {
    const controller = new AbortController()
    const { fetch } = scripted(
      json(`{"tokens":[{"itemId":1},{"itemId":2}],"pendingItems":5}`),
      refusal(503, "busy")
    )
    const client = rollupClient({
      url: "http://node",
      fetch,
      wait: () => {
        controller.abort()
        return Promise.reject(new Error("ended"))
      }
    })
    assert.strictEqual(
      (await failureOf(client.items("getTokens", { limit: 2 }, { signal: controller.signal })))
        ._tag,
      "Aborted"
    )
  })

  it("ends with a failure if another interface answers with other JSON", async () => {
    const foreign = ["{}", "null", "[]", `{"tokens":5}`, `{"tokens":[null]}`, `{"tokens":[{}]}`]
    for (const body of foreign) {
      const { fetch, requests } = scripted(json(body))
      const client = rollupClient({ url: "http://node", fetch })
      for (const paged of [client.pages, client.items]) {
        const failure = await failureOf(paged("getTokens", { limit: 1 }))
        assert.strictEqual(failure._tag, "Unexpected")
        assert.include(failure.message, "as another interface: check the URL")
      }
      assert.lengthOf(requests, 2)
      assert.isFalse((await client.getTokens()).ok)
    }
  })
})
