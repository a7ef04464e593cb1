import { assertShows, type Checks, refusalOf } from "./_checks.ts"
import { isProven, type ShownExit } from "./_exit_proof.ts"
import * as expected from "./_expected.ts"
import { answersOfFeed } from "./feed/mod.ts"
import type { CoordinatorApi, LoadedLibrary, Value } from "./_library.ts"
import { checkPoolList } from "./_pool_list.ts"
import { listOf, readsOf, type Samples, samplesOf } from "./_reads.ts"
import type { Facts } from "./_sending.ts"

/** The functions that read the pool, which a feed does not contain. */
const poolCalls = ["getPoolTransaction", "getCreateAccountAuthorization"]

/** What the functions read, and what their answers are compared with. */
export interface ReadOptions {
  readonly url: string
  readonly facts: Facts
  /** The file with the feed of the server's ledger; without it `later` of the server is compared. */
  readonly feed?: string
  readonly readsLedger: boolean
  readonly readsPool: boolean
}

/** Checks functions that read, against a network that adds no blocks. */
export const checkReads = async (
  loaded: LoadedLibrary,
  { facts, feed, readsLedger, readsPool, url }: ReadOptions,
  checks: Checks
): Promise<void> => {
  const { CoordinatorAPI: api } = loaded.library
  const server = expected.laterOf(url)
  const later = feed === undefined ? server : await answersOfFeed(feed, server)
  const samples = await samplesOf(later, facts)
  for (const { args, call, expected, fact, list, path } of readsOf(facts, samples)) {
    if (!(poolCalls.includes(call) ? readsPool : readsLedger)) continue
    await checks.run(call, fact, async () => {
      const wanted = await later(path)
      if (list === undefined) return assertShows(await api[call]!(...args), await expected(wanted))
      const items = await Promise.all((wanted[list] as ReadonlyArray<Value>).map(expected))
      if (items.length === 0) throw new Error(`later${path} has no items to compare with`)
      assertShows(await api[call]!(...args), { [list]: items, pendingItems: wanted.pendingItems })
    })
  }
  if (readsLedger) await checkLedger(loaded, later, facts, samples, checks)
  if (!readsPool) return
  await checks.run(
    "getPoolTransaction",
    "unknown: 404",
    async () => assertShows(await refusalOf(api.getPoolTransaction!(unknownId)), notFound)
  )
  await checkPoolList(loaded, facts, samples, checks)
}

const unknownId = `0x02${"ab".repeat(32)}`
const notFound = { status: 404, code: 4 }

/** Checks refusals, pages and proofs of the ledger. */
const checkLedger = async (
  { library: { CoordinatorAPI: api } }: LoadedLibrary,
  later: expected.Later,
  facts: Facts,
  { accountIndex, exit: { batchNum } }: Samples,
  checks: Checks
): Promise<void> => {
  const refusals = [
    [
      "getTransactions",
      "exclusive filters together: 400, as the original",
      [facts.publicKey, 0, undefined, accountIndex],
      { status: 400, code: 1, type: "ErrParamValidationFailed" }
    ],
    ["getBids", "without a filter: 400, as the original", [0], { status: 400, code: 1 }],
    ["getHistoryTransaction", "unknown: 404", [unknownId], notFound]
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
}

/** Checks the list of the latest registration of each bidder; `later` lists every registration. */
const checkCoordinators = async (
  api: CoordinatorApi,
  later: expected.Later,
  checks: Checks
): Promise<void> => {
  const all = await listOf(later, "/coordinators?limit=2049")
  const latest = all.filter(({ bidderAddr }, i) =>
    !all.slice(i + 1).some((next) => next.bidderAddr === bidderAddr)
  )
  const { bidderAddr, forgerAddr } = latest[0]!
  const lists = [
    ["all", [], latest],
    ["of a forger", [forgerAddr], latest.filter((item) => item.forgerAddr === forgerAddr)],
    ["of a bidder", [undefined, bidderAddr], [latest[0]]],
    ["of an unknown forger", [`0x${"1".repeat(40)}`], []]
  ] as const
  for (const [fact, args, coordinators] of lists) {
    await checks.run("getCoordinators", fact, async () => {
      assertShows(await api.getCoordinators!(...args), { coordinators, pendingItems: 0 })
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
