/* The nonce that published clients choose, over a live network. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { type Wallet, walletFromSeed } from "../../adapters/wallet/mod.ts"
import { formatPublicKey } from "../../core/encoding/mod.ts"
import { type LiveNetwork, openLiveNetwork } from "./_live_network.ts"

let live: LiveNetwork
beforeAll(async () => {
  live = await openLiveNetwork()
})
afterAll(() => live.close())

type Account = Awaited<ReturnType<LiveNetwork["rollup"]["account"]>>
interface PoolPage {
  readonly transactions: ReadonlyArray<{ readonly nonce: number; readonly state: string }>
}

const listed = async (query: string): Promise<PoolPage["transactions"]> => {
  const answer = await live.fetch(
    new Request(`http://node/v1/transactions-pool?limit=2049&${query}`)
  )
  return ((await answer.json()) as PoolPage).transactions
}

/**
 * Returns the nonce that the published library chooses: the next one that no transaction of the list
 * has, for any sender and state.
 */
const publishedNonce = async (account: Account): Promise<number> => {
  const used = new Set(
    (await listed(`accountIndex=${account.accountIndex}`)).map(({ nonce }) => nonce)
  )
  let nonce = Number((await account.read()).nonce)
  while (used.has(nonce)) nonce++
  return nonce
}

const hasUnfinished = async ({ accountIndex }: Account): Promise<boolean> => {
  const pages = await Promise.all(
    ["pend", "fing"].map((state) => listed(`accountIndex=${accountIndex}&state=${state}`))
  )
  return pages.flat().length > 0
}

/**
 * Sends without a given nonce, as the published library does, and waits until it is forged. Before it,
 * waits until no payment of the simulated users to the account is pending.
 */
const send = async (account: Account, to: string): Promise<number> => {
  while (await hasUnfinished(account)) await live.wait(0, undefined)
  const nonce = await publishedNonce(account)
  // otherwise it would wait for ever
  assert.strictEqual(nonce, Number((await account.read()).nonce))
  const { forged } = await account.transfer({ to, amount: 10n ** 15n, fee: 0, nonce })
  await forged()
  return nonce
}

it("wallets that have received transfers send without a given nonce, and all are forged", async () => {
  const { demo, rollup } = live
  const wallets = [21, 22, 23].map((seed): Wallet => walletFromSeed(`${seed}`.repeat(32)))
  const ether = await rollup.account(demo, "ETH")
  for (const { publicKey } of wallets) {
    const to = formatPublicKey("zk", publicKey)
    await (await ether.transfer({ to, amount: 10n ** 17n, fee: 0 })).forged()
  }
  const accounts = await Promise.all(wallets.map((wallet) => rollup.account(wallet, "ETH")))
  const [first, second, third] = accounts
  // each has received transfers with the nonces that are its own next ones
  for (const receiver of [second!, third!, second!]) await send(first!, receiver.accountIndex)
  assert.strictEqual(await send(second!, third!.accountIndex), 0)
  assert.strictEqual(await send(third!, first!.accountIndex), 0)
  assert.strictEqual(await send(second!, first!.accountIndex), 1)
  for (const { accountIndex } of accounts) {
    const unfinished = await listed(`accountIndex=${accountIndex}`)
    assert.isTrue(unfinished.every(({ state }) => state === "pend" || state === "fing"))
    const forged = await listed(`accountIndex=${accountIndex}&state=fged`)
    assert.isAbove(forged.length, 2)
    assert.isTrue(forged.every(({ state }) => state === "fged"))
  }
})
