import { assertShows, type Checks, refusalOf } from "./_checks.ts"
import { isProven, type ShownExit } from "./_exit_proof.ts"
import * as expected from "./_expected.ts"
import type { CoordinatorApi, LoadedLibrary, Value } from "./_library.ts"
import { checkPoolList } from "./_pool_list.ts"
import { listOf, readsOf, samplesOf } from "./_reads.ts"
import type { Facts } from "./_sending.ts"

/** Checks every function that reads, against a network that adds no blocks. */
export const checkReads = async (
  loaded: LoadedLibrary,
  url: string,
  facts: Facts,
  checks: Checks
): Promise<void> => {
  const { CoordinatorAPI: api } = loaded.library
  const later = expected.laterOf(url)
  const samples = await samplesOf(later, facts)
  const { accountIndex, exit: { batchNum } } = samples
  for (const { args, call, expected, fact, list, path } of readsOf(facts, samples)) {
    await checks.run(call, fact, async () => {
      const wanted = await later(path)
      if (list === undefined) return assertShows(await api[call]!(...args), await expected(wanted))
      const items = await Promise.all((wanted[list] as ReadonlyArray<Value>).map(expected))
      if (items.length === 0) throw new Error(`later${path} has no items to compare with`)
      assertShows(await api[call]!(...args), { [list]: items, pendingItems: wanted.pendingItems })
    })
  }

  const refusals = [
    [
      "getTransactions",
      "exclusive filters together: 400, as the original",
      [facts.publicKey, 0, undefined, accountIndex],
      { status: 400, code: 1, type: "ErrParamValidationFailed" }
    ],
    ["getBids", "without a filter: 400, as the original", [0], { status: 400, code: 1 }],
    ["getHistoryTransaction", "unknown: 404", [unknownId], { status: 404, code: 4 }],
    ["getPoolTransaction", "unknown: 404", [unknownId], { status: 404, code: 4 }]
  ] as const
  for (const [call, fact, args, refusal] of refusals) {
    await checks.run(
      call,
      fact,
      async () => assertShows(await refusalOf(api[call]!(...args)), refusal)
    )
  }
  await checks.run("getTransactions", "every page, as the explorer reads them", async () => {
    const all = await listOf(later, "/transactions-history?limit=2049")
    assertShows((await everyPage(api, all.length)).map(({ id }) => id), all.map(({ id }) => id))
  })
  await checkCoordinators(api, later, checks)
  await checks.run("getExit", "leads to a verified proof of inclusion", async () => {
    const exit = await api.getExit!(batchNum, accountIndex) as unknown as ShownExit
    const { exitRoot } = await api.getBatch!(batchNum) as Value
    assertShows(isProven(exit, BigInt(String(exitRoot))), true)
    const { amount } = await later(`/transactions-history/${facts.ids.Exit}`)
    assertShows(exit, { balance: amount })
  })
  await checks.run(
    "getHealth",
    "names the state of the stores",
    async () => assertShows(await api.getHealth!(), expected.health)
  )
  await checkPoolList(loaded, facts, samples, checks)
}

const unknownId = `0x02${"ab".repeat(32)}`

/** Checks the filters that `later` does not have. */
const checkCoordinators = async (
  api: CoordinatorApi,
  later: expected.Later,
  checks: Checks
): Promise<void> => {
  const coordinators = await listOf(later, "/coordinators?limit=2049")
  const { bidderAddr, forgerAddr } = coordinators[0]!
  const filters = [
    ["of a forger", [forgerAddr], { forgerAddr }],
    ["of a bidder", [undefined, bidderAddr], { bidderAddr }]
  ] as const
  for (const [fact, args, filter] of filters) {
    await checks.run("getCoordinators", fact, async () => {
      const shown = await api.getCoordinators!(...args) as Value
      const items = shown.coordinators as ReadonlyArray<Value>
      assertShows(items.length > 0, true)
      for (const item of items) {
        assertShows(item, {
          ...coordinators.find(({ itemId }) => itemId === item.itemId),
          ...filter
        })
      }
    })
  }
}

/** Reads a list to its end by `pendingItems` and the last `itemId`. */
const everyPage = async (api: CoordinatorApi, max: number): Promise<ReadonlyArray<Value>> => {
  const all: Array<Value> = []
  for (let fromItem: number | undefined; all.length < max;) {
    const filters = Array.from({ length: 4 })
    const page = await api.getTransactions!(...filters, fromItem, "ASC", 97) as {
      readonly transactions: ReadonlyArray<Value>
      readonly pendingItems: number
    }
    all.push(...page.transactions)
    if (page.pendingItems === 0) break
    fromItem = Number(page.transactions.at(-1)!.itemId) + 1
  }
  return all.slice(0, max)
}
