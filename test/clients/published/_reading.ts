import { verifyExitProof } from "../../../adapters/crypto/mod.ts"
import { parseEthereumAddress, parsePublicKey } from "../../../core/encoding/mod.ts"
import { Result } from "effect"
import { assertShows, type Checks, refusalOf } from "./_checks.ts"
import * as expected from "./_expected.ts"
import type { CoordinatorApi, LoadedLibrary, Value } from "./_library.ts"
import type { Facts } from "./_sending.ts"

/*
 * Every read of the library against a network that adds no blocks: each answer is compared by value
 * with the answer of revision `later`.
 */

interface Read {
  readonly call: string
  readonly fact: string
  readonly args: ReadonlyArray<unknown>
  /** The path of `later` with the same answer. */
  readonly path: string
  /** The member with the items of a list; not set for a single object. */
  readonly list?: string
  readonly expected: (item: Value) => Promise<Value>
}

/** Checks every function that reads. */
export const checkReads = async (
  { library: { CoordinatorAPI: api, TxPool } }: LoadedLibrary,
  url: string,
  { address, authorized, ids, publicKey }: Facts,
  checks: Checks
): Promise<void> => {
  const later = expected.laterOf(url)
  const listed = async (path: string, list: string) =>
    (await later(path))[list] as ReadonlyArray<Value>
  const [batch, exit, transaction] = [
    expected.batchOf(later),
    expected.exitOf(later),
    expected.transaction
  ]
  const [account] = await listed(`/accounts?hezEthereumAddress=${address}`, "accounts")
  const { accountIndex } = account!
  const [ownExit] = await listed(`/exits?accountIndex=${accountIndex}`, "exits")
  const [someBid] = await listed("/bids?slotNum=5", "bids")
  const [l1] = await listed(
    "/transactions-history?type=CreateAccountDeposit&limit=1",
    "transactions"
  )
  const { lastBatch } = (await later("/state")).network as { readonly lastBatch: Value }
  const owned = `hezEthereumAddress=${address}`

  const reads: ReadonlyArray<Read> = [
    ...readsOf("getAccounts", "accounts", expected.same, [
      ["of an address", [address], `/accounts?${owned}`],
      ["of a key and tokens", [publicKey, [0, 1]], `/accounts?BJJ=${publicKey}&tokenIds=0,1`],
      [
        "of everybody, a page downwards",
        [null, undefined, 300, "DESC", 7],
        "/accounts?fromItem=300&order=DESC&limit=7"
      ],
      ["created by an authorization", [authorized], `/accounts?hezEthereumAddress=${authorized}`]
    ]),
    ...readsOf("getTransactions", "transactions", transaction, [
      ["of an address", [address], `/transactions-history?${owned}`],
      ["of a key and a token", [publicKey, 0], `/transactions-history?BJJ=${publicKey}&tokenId=0`],
      ["of a batch", [null, undefined, 3], "/transactions-history?batchNum=3"],
      [
        "of an account",
        [null, undefined, undefined, accountIndex],
        `/transactions-history?accountIndex=${accountIndex}`
      ],
      [
        "all, a page downwards",
        [null, undefined, undefined, undefined, undefined, "DESC", 100],
        "/transactions-history?order=DESC&limit=100"
      ]
    ]),
    ...readsOf("getExits", "exits", exit, [
      ["of an address", [address], `/exits?${owned}`],
      ["pending", [null, true], "/exits?onlyPendingWithdraws=true"],
      ["of a key and a token", [publicKey, false, 0], `/exits?BJJ=${publicKey}&tokenId=0`],
      [
        "a page downwards",
        [null, false, undefined, 40, "DESC", 5],
        "/exits?fromItem=40&order=DESC&limit=5"
      ]
    ]),
    ...readsOf("getTokens", "tokens", expected.same, [
      ["all", [], "/tokens"],
      ["by ids and symbols", [[0, 1, 2], ["ETH", "GOV"]], "/tokens?ids=0,1,2&symbols=ETH,GOV"],
      [
        "a page downwards",
        [undefined, undefined, 5, "DESC", 2],
        "/tokens?fromItem=5&order=DESC&limit=2"
      ]
    ]),
    ...readsOf("getBatches", "batches", batch, [
      ["all", [], "/batches"],
      ["of a forger and a slot, downwards", [
        lastBatch.forgerAddr,
        lastBatch.slotNum,
        undefined,
        "DESC"
      ], `/batches?forgerAddr=${lastBatch.forgerAddr}&slotNum=${lastBatch.slotNum}&order=DESC`]
    ]),
    ...readsOf("getCoordinators", "coordinators", expected.same, [["all", [], "/coordinators"]]),
    ...readsOf("getBids", "bids", expected.bid, [
      ["of a slot", [5], "/bids?slotNum=5"],
      [
        "of a bidder, downwards",
        [undefined, someBid!.bidderAddr, undefined, "DESC", 3],
        `/bids?bidderAddr=${someBid!.bidderAddr}&order=DESC&limit=3`
      ]
    ]),
    ...readsOf("getAccount", undefined, expected.same, [[
      "by index",
      [accountIndex],
      `/accounts/${accountIndex}`
    ]]),
    ...readsOf("getHistoryTransaction", undefined, transaction, [
      ["from L1", [l1!.id], `/transactions-history/${l1!.id}`],
      ...Object.entries(ids).map(([name, id]) =>
        [name, [id], `/transactions-history/${id}`] as const
      )
    ]),
    ...readsOf(
      "getExit",
      undefined,
      exit,
      ownExit === undefined
        ? []
        : [[
          "of the account",
          [ownExit.batchNum, accountIndex],
          `/exits/${ownExit.batchNum}/${accountIndex}`
        ]]
    ),
    ...readsOf("getToken", undefined, expected.same, [["by id", [1], "/tokens/1"]]),
    ...readsOf("getBatch", undefined, batch, [["by number", [3], "/batches/3"]]),
    ...readsOf("getSlot", undefined, expected.slotOf(later), [
      ["in the past", [5], "/slots/5"],
      ["open", [Number(lastBatch.slotNum) + 4], `/slots/${Number(lastBatch.slotNum) + 4}`]
    ]),
    ...readsOf("getState", undefined, expected.stateOf(later), [["in each field", [], "/state"]]),
    ...readsOf("getConfig", undefined, expected.configOf(1337), [["in each field", [], "/config"]]),
    ...readsOf("getCreateAccountAuthorization", undefined, expected.same, [["of an address", [
      authorized
    ], `/account-creation-authorization/${authorized}`]]),
    ...readsOf(
      "getPoolTransaction",
      undefined,
      expected.poolTransaction,
      Object.entries(ids).map(([name, id]) => [name, [id], `/transactions-pool/${id}`] as const)
    )
  ]
  for (const { args, call, expected, fact, list, path } of reads) {
    await checks.run(call, fact, async () => {
      const wanted = await later(path)
      if (list === undefined) return assertShows(await api[call]!(...args), await expected(wanted))
      const items = await Promise.all((wanted[list] as ReadonlyArray<Value>).map(expected))
      if (items.length === 0) throw new Error(`later${path} has no items to compare with`)
      assertShows(await api[call]!(...args), { [list]: items, pendingItems: wanted.pendingItems })
    })
  }

  await checks.run(
    "getTransactions",
    "exclusive filters together: 400, as the original",
    async () =>
      assertShows(
        await refusalOf(api.getTransactions!(publicKey, 0, undefined, accountIndex)),
        { status: 400, code: 1, type: "ErrParamValidationFailed" }
      )
  )
  await checks.run(
    "getBids",
    "without a filter: 400, as the original",
    async () => assertShows(await refusalOf(api.getBids!(0)), { status: 400, code: 1 })
  )
  for (const call of ["getHistoryTransaction", "getPoolTransaction"]) {
    await checks.run(
      call,
      "unknown: 404",
      async () =>
        assertShows(await refusalOf(api[call]!(`0x02${"ab".repeat(32)}`)), { status: 404, code: 4 })
    )
  }
  await checks.run("getTransactions", "every page, as the explorer reads them", async () => {
    const all = await listed("/transactions-history?limit=2049", "transactions")
    assertShows(
      (await everyPage(api, all.length)).map(({ id }) => ({ id })),
      all.map(({ id }) => ({ id }))
    )
  })
  const coordinators = await listed("/coordinators?limit=2049", "coordinators")
  const [first] = coordinators
  const { bidderAddr, forgerAddr } = first!
  for (
    const [fact, args] of [["of a forger", [forgerAddr]], ["of a bidder", [
      undefined,
      bidderAddr
    ]]] as const
  ) {
    await checks.run("getCoordinators", fact, async () => {
      const shown = await api.getCoordinators!(...args) as Value
      const items = shown.coordinators as ReadonlyArray<Value>
      assertShows(items.length > 0, true)
      for (const item of items) {
        assertShows(item, coordinators.find(({ itemId }) => itemId === item.itemId))
        assertShows(item, args.length === 1 ? { forgerAddr } : { bidderAddr })
      }
    })
  }
  await checks.run(
    "getExit",
    "leads to a verified proof of inclusion",
    async () =>
      verifyExit(await api.getExit!(ownExit!.batchNum, accountIndex) as unknown as ShownExit, {
        exitRoot: BigInt(String(((await api.getBatch!(ownExit!.batchNum)) as Value).exitRoot)),
        ids,
        later
      })
  )
  await checks.run(
    "getHealth",
    "names the state of the stores",
    async () => assertShows(await api.getHealth!(), expected.health)
  )
  const posted = Object.values(ids)
  const [fromToken] = await listed(`/accounts?${owned}&tokenIds=1`, "accounts")
  const ofEther = posted.filter((id) => id !== ids["in a group 2"])
  for (
    const [fact, args, wanted] of [
      ["of an address", [address], posted],
      ["of a key, by state", [publicKey, TxPool === undefined ? "fged" : "Forged"], posted],
      ["by type", [address, undefined, "Exit"], [ids.Exit]],
      ["by token", [address, undefined, undefined, 0], ofEther],
      ["by account", [undefined, undefined, undefined, undefined, accountIndex], ofEther],
      [
        "by another account",
        [undefined, undefined, undefined, undefined, fromToken?.accountIndex],
        posted.filter((id) => !ofEther.includes(id))
      ]
    ] as const
  ) {
    await checks.run("getPoolTransactions", fact, async () => {
      const shown = await api.getPoolTransactions!(
        ...args,
        ...Array.from({ length: 5 - args.length }),
        undefined,
        "DESC",
        2049
      ) as Value
      const items = shown.transactions as ReadonlyArray<Value>
      const found = items.map(({ id }) => id)
      assertShows(wanted.filter((id) => !found.includes(id)), [])
      assertShows(shown.pendingItems, 0)
      for (const item of items) {
        assertShows(
          item,
          await expected.poolTransaction(await later(`/transactions-pool/${item.id}`))
        )
      }
    })
  }
}

type Row = readonly [fact: string, args: ReadonlyArray<unknown>, path: string]

const readsOf = (
  call: string,
  list: string | undefined,
  expected: Read["expected"],
  rows: ReadonlyArray<Row>
): ReadonlyArray<Read> =>
  rows.map(([fact, args, path]) => ({
    call,
    fact,
    args,
    path,
    expected,
    ...list === undefined ? {} : { list }
  }))

/** Reads a list to its end by `pendingItems` and the last `itemId`. */
const everyPage = async (api: CoordinatorApi, max: number): Promise<ReadonlyArray<Value>> => {
  const all: Array<Value> = []
  for (let fromItem: number | undefined; all.length < max;) {
    const page = await api.getTransactions!(
      null,
      undefined,
      undefined,
      undefined,
      fromItem,
      "ASC",
      97
    ) as {
      readonly transactions: ReadonlyArray<Value>
      readonly pendingItems: number
    }
    all.push(...page.transactions)
    if (page.pendingItems === 0) break
    fromItem = Number(page.transactions.at(-1)!.itemId) + 1
  }
  return all.slice(0, max)
}

interface ShownExit {
  readonly bjj: string
  readonly hezEthereumAddress: string
  readonly accountIndex: string
  readonly balance: string
  readonly token: { readonly id: number }
  readonly merkleProof: {
    readonly root: string
    readonly siblings: ReadonlyArray<string>
    readonly key: string
    readonly value: string
    readonly fnc: 0
  }
}

/** Verifies the data with which the library withdraws on Ethereum, from its answers alone. */
const verifyExit = async (
  { accountIndex, balance, bjj, hezEthereumAddress, merkleProof, token }: ShownExit,
  { exitRoot, ids, later }: {
    readonly exitRoot: bigint
    readonly ids: Facts["ids"]
    readonly later: expected.Later
  }
): Promise<void> => {
  const { fnc, key, root, siblings, value } = merkleProof
  const isVerified = verifyExitProof({
    accountIndex: Number(accountIndex.split(":")[2]),
    tokenId: token.id,
    balance: BigInt(balance),
    publicKey: Result.getOrThrow(parsePublicKey("hez", bjj)),
    address: Result.getOrThrow(parseEthereumAddress(hezEthereumAddress.replace("hez:", ""))),
    merkleProof: {
      root: BigInt(root),
      siblings: siblings.map(BigInt),
      oldKey: 0n,
      oldValue: 0n,
      isOld0: false,
      key: BigInt(key),
      value: BigInt(value),
      fnc
    }
  }, exitRoot)
  assertShows(isVerified, true)
  assertShows({ balance }, { balance: (await later(`/transactions-history/${ids.Exit}`)).amount })
}
