import { assertShows, type Checks } from "./_checks.ts"
import { poolTransaction } from "./_expected.ts"
import type { LoadedLibrary, Value } from "./_library.ts"
import { listOf, type Samples } from "./_reads.ts"
import type { Facts } from "./_sending.ts"

/** Checks the filters of the pool's list: what was posted is found, and each item is right. */
export const checkPoolList = async (
  { library: { CoordinatorAPI: api, TxPool } }: LoadedLibrary,
  { address, ids, publicKey }: Facts,
  { accountIndex, later }: Samples,
  checks: Checks
): Promise<void> => {
  const posted = Object.values(ids)
  const ofToken = posted.filter((id) => id === ids["in a group 2"])
  const ofEther = posted.filter((id) => !ofToken.includes(id))
  const [token] = await listOf(later, `/accounts?hezEthereumAddress=${address}&tokenIds=1`)
  // version 1 takes its own names of the states
  const state = TxPool === undefined ? "fged" : "Forged"
  const none = undefined
  const lists = [
    ["of an address, by state", [address, state, none, none, none], posted],
    ["of a key, by state", [publicKey, state, none, none, none], posted],
    ["by type", [address, state, "Exit", none, none], [ids.Exit]],
    ["by token", [address, state, none, 0, none], ofEther],
    ["by account", [none, state, none, none, accountIndex], ofEther],
    ["by another account", [none, state, none, none, token!.accountIndex], ofToken]
  ] as const
  await checks.run("getPoolTransactions", "without state, no finished ones", async () => {
    const page = await api.getPoolTransactions!(address, none, none, none, none) as Value
    const items = page.transactions as ReadonlyArray<Value>
    assertShows(items.filter(({ id }) => posted.includes(String(id))), [])
  })
  for (const [fact, filters, wanted] of lists) {
    await checks.run("getPoolTransactions", fact, async () => {
      const page = await api.getPoolTransactions!(...filters, none, "DESC", 2049) as Value
      const items = page.transactions as ReadonlyArray<Value>
      const found = items.map(({ id }) => id)
      assertShows(wanted.filter((id) => !found.includes(id)), [])
      assertShows(page.pendingItems, 0)
      for (const item of items) {
        assertShows(item, await poolTransaction(await later(`/transactions-pool/${item.id}`)))
      }
    })
  }
}
