/* Slots by their winner, over each store: with every change that makes a slot won or takes it back. */
import { assert, describe, it } from "@effect/vitest"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import type { AuctionVariables } from "../../core/domain/mod.ts"
import { blockOf, bob, cleo, headOf } from "../use_cases/_chain.ts"
import { addressOf, genesis } from "../use_cases/_network.ts"
import { newStores } from "./_network.ts"

const [oldForger, newForger] = [addressOf("e"), addressOf("f")]
const registered = (bidderAddr: string, forgerAddr: string) => ({
  bidderAddr,
  forgerAddr,
  url: "https://forger.example"
})
const bids = (bidderAddr: string, bidValue: bigint, ...slots: ReadonlyArray<number>) =>
  slots.map((slotNum) => ({ slotNum, bidderAddr, bidValue }))

/** Slots have ten blocks from block 100 on, and the auctions of the current and two more are closed. */
const variables = (change: Partial<AuctionVariables>) => ({
  ...genesis.variables.auction,
  defaultSlotSetBid: [10n, 10n, 10n, 10n, 10n, 10n],
  defaultSlotSetBidSlotNum: 2,
  ...change
})

interface SlotsPage {
  readonly slots: ReadonlyArray<{ readonly slotNum: number }>
  /** In later and v1. */
  readonly pendingItems?: number
  /** In earlier. */
  readonly pagination?: {
    readonly totalItems: number
    readonly firstItem: number | null
    readonly lastItem: number | null
  }
}

/**
 * Returns a function that reads the slots of an address in pages of one. It sends the ETag of its
 * last read of a page, as a browser does, and checks that a 304 confirms what is true.
 */
const slotsReader = (node: RollupNode, path: string, address: string) => {
  const known = new Map<string, { readonly etag: string; readonly body: SlotsPage }>()
  const read = async (url: string): Promise<SlotsPage> => {
    const fresh = await (await node.fetch(new Request(url))).json() as SlotsPage
    const last = known.get(url)
    const conditional = await node.fetch(
      new Request(url, { headers: last === undefined ? {} : { "if-none-match": last.etag } })
    )
    const body = conditional.status === 304
      ? last!.body
      : await conditional.json() as SlotsPage
    assert.deepStrictEqual(body, fresh)
    known.set(url, { etag: conditional.headers.get("etag")!, body })
    return body
  }
  return async (order: "ASC" | "DESC" = "ASC"): Promise<ReadonlyArray<number>> => {
    const pages: Array<SlotsPage> = []
    for (let from = "";;) {
      const page = await read(
        `http://node${path}/slots?wonByEthereumAddress=${address}&order=${order}&limit=1${from}`
      )
      const [slot] = page.slots
      if (slot === undefined) break
      pages.push(page)
      from = `&fromItem=${slot.slotNum + (order === "ASC" ? 1 : -1)}`
    }
    const found = pages.flatMap(({ slots }) => slots.map(({ slotNum }) => slotNum))
    for (const [i, { pagination, pendingItems }] of pages.entries()) {
      if (pagination === undefined) assert.strictEqual(pendingItems, found.length - 1 - i)
      else {
        assert.deepStrictEqual(pagination, {
          totalItems: found.length,
          firstItem: Math.min(...found),
          lastItem: Math.max(...found)
        })
      }
    }
    return found
  }
}

for (const [kind, newStore] of Object.entries(newStores)) {
  describe(`slots by winner over ${kind}`, () => {
    it("are closed and won by the bid: in later by bidder, in earlier by forger; v1 lists every best bid", async () => {
      await using empty = await newStore()
      const { store } = empty
      await using node = await openNode({ genesis, store })
      const [later, ofCleo, earlier, ofNewForger, v1] = [
        slotsReader(node, "", bob.address),
        slotsReader(node, "", cleo.address),
        slotsReader(node, "/earlier", oldForger),
        slotsReader(node, "/earlier", newForger),
        slotsReader(node, "/v1", bob.address)
      ]
      const shown = async () => ({
        later: await later(),
        ofCleo: await ofCleo(),
        earlier: await earlier(),
        ofNewForger: await ofNewForger(),
        v1: await v1()
      })
      await node.applyBlock(blockOf(101n, {
        coordinators: [registered(bob.address, oldForger), registered(cleo.address, oldForger)],
        bids: [
          ...bids(cleo.address, 15n, 4, 5),
          ...bids(bob.address, 5n, 3),
          ...bids(bob.address, 20n, 4, 6, 30)
        ]
      }))
      await node.applyBlock(blockOf(102n, { auctionVariables: variables({}) }))
      const open = { later: [], ofCleo: [], earlier: [], ofNewForger: [], v1: [3, 4, 6, 30] }
      assert.deepStrictEqual(await shown(), open, "all auctions are open")

      // a head closes auctions without a block; the bid of slot 3 is below the minimum
      await node.applyRecord({ kind: "head", head: headOf(125n) })
      assert.deepStrictEqual(await shown(), { ...open, later: [4], earlier: [4] })

      await node.applyBlock(
        { ...blockOf(145n), previous: { number: 102n, hash: blockOf(102n).hash } }
      )
      const closed = { ...open, later: [4, 6], ofCleo: [5], earlier: [4, 5, 6] }
      assert.deepStrictEqual(await shown(), closed)
      assert.deepStrictEqual(await later("DESC"), [6, 4])
      assert.deepStrictEqual(await earlier("DESC"), [6, 5, 4])

      await node.applyBlock(
        blockOf(146n, { coordinators: [registered(bob.address, newForger)] })
      )
      const moved = { ...closed, earlier: [5], ofNewForger: [4, 6] }
      assert.deepStrictEqual(await shown(), moved, "after a registration of another forger")

      await node.applyBlock(
        blockOf(147n, { auctionVariables: variables({ closedAuctionSlots: 1 }) })
      )
      const fewer = { ...moved, later: [4], ofNewForger: [4] }
      assert.deepStrictEqual(await shown(), fewer, "with fewer closed slots")

      await node.rollBack(146n)
      assert.deepStrictEqual(await shown(), moved)
      await node.rollBack(145n)
      assert.deepStrictEqual(await shown(), closed)
      await node.rollBack(102n)
      assert.deepStrictEqual(await shown(), open, "the head is rolled back as well")
      // slot 3 is won if its minimum is not raised
      await node.rollBack(101n)
      await node.applyRecord({ kind: "head", head: headOf(125n) })
      assert.deepStrictEqual(
        await shown(),
        { ...open, later: [3, 4], earlier: [3, 4] },
        "with the minimum of before"
      )
      await node.rollBack(100n)
      assert.deepStrictEqual(await shown(), { ...open, v1: [] })
    })
  })
}
