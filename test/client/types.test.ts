import { assert, describe, expectTypeOf, it } from "vitest"
import {
  type earlier,
  type later,
  type Outcome,
  type ProblemName,
  rollupClient
} from "../../adapters/client/mod.ts"

/* Checked by the compiler: `npm run check` fails if one of the expected errors does not occur. */

const fetch = () =>
  Promise.resolve(new Response(`{"accounts":[]}`, { headers: { "api-revision": "later" } }))
const client = rollupClient({ url: "http://node", fetch, retriesMax: 0 })
const before = rollupClient({ url: "http://node", revision: "earlier", fetch, retriesMax: 0 })
const other = rollupClient({ url: "http://node", prefix: "hez", fetch, retriesMax: 0 })

describe("the types of the client", () => {
  it("refuse a filter that a list does not have in this revision", async () => {
    // @ts-expect-error there is no such filter
    await client.getTokens({ symbol: "ETH" })
    // @ts-expect-error only earlier calls it so
    await client.getSlots({ maxSlothNum: 3 })
    await before.getSlots({ maxSlothNum: 3 })
    // @ts-expect-error only later has it
    await before.getExits({ onlyPendingWithdraws: true })
    await client.getExits({ onlyPendingWithdraws: true })
    // @ts-expect-error a closed set of types
    await client.getHistoryTxs({ type: "Gift" })
    // @ts-expect-error a number
    await client.getExits({ tokenId: "1" })
    // @ts-expect-error the pages of a list take the filters of that list
    client.pages("getTokens", { slotNum: 1 })
    // @ts-expect-error no list
    client.items("getToken", { id: 1 })
  })

  it("require mandatory parameters", async () => {
    // @ts-expect-error one of slotNum and bidderAddr
    await client.getBids({ limit: 3 })
    // @ts-expect-error the same
    client.items("getBids")
    await client.getBids({ bidderAddr: "0x" })
    // @ts-expect-error earlier has no bidderAddr
    await before.getBids({ bidderAddr: "0x" })
    await before.getBids()
    // @ts-expect-error a key is needed
    await client.getAccount().catch(() => undefined)
    // @ts-expect-error both halves of a key
    await client.getExit({ batchNum: 1 })
    await client.getState({}, { signal: AbortSignal.abort() })
  })

  it("are those of the revision", () => {
    expectTypeOf(client.getSlot).returns.resolves.toEqualTypeOf<Outcome<later.Slot>>()
    expectTypeOf(before.getSlot).returns.resolves.toEqualTypeOf<Outcome<earlier.Slot>>()
    expectTypeOf<later.Slot>().not.toHaveProperty("closedAuction")
    expectTypeOf<earlier.Slot>().toHaveProperty("closedAuction").toEqualTypeOf<boolean>()
    expectTypeOf<later.Account["nonce"]>().toEqualTypeOf<bigint>()
    expectTypeOf<later.Account["balance"]>().toEqualTypeOf<string>()
    expectTypeOf<later.HistoryTransaction["L2Info"]>().toEqualTypeOf<later.L2Info | null>()
    expectTypeOf(client.items<"getBids">).returns.toEqualTypeOf<
      AsyncGenerator<later.Bid, void, void>
    >()
    expectTypeOf<"not-registered">().toExtend<ProblemName>()
  })

  it("use the names of the network", async () => {
    const outcome = await other.getAccounts({ hezEthereumAddress: "hez:0x" })
    assert.isTrue(outcome.ok)
    if (outcome.ok) {
      expectTypeOf(outcome.value.accounts).items.toHaveProperty("hezEthereumAddress").toEqualTypeOf<
        string
      >()
    }
    // @ts-expect-error the name in another network
    await other.getAccounts({ zkEthereumAddress: "hez:0x" })
    expectTypeOf(other.getPoolTx).returns.resolves.extract<{ ok: true }>().toHaveProperty("value")
      .toHaveProperty("requestToHezEthereumAddress").toEqualTypeOf<string | null>()
  })
})
