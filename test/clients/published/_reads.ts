import * as expected from "./_expected.ts"
import type { Value } from "./_library.ts"
import type { Facts } from "./_sending.ts"

/** A call of the library, and the answer of revision `later` with which it is compared by value. */
export interface Read {
  readonly call: string
  readonly fact: string
  readonly args: ReadonlyArray<unknown>
  /** The path of `later` with the same answer. */
  readonly path: string
  /** The member with the items of a list; not set for a single object. */
  readonly list?: string
  readonly expected: (item: Value) => Promise<Value>
}

/** Objects of a ledger that the reads ask for. */
export interface Samples {
  readonly later: expected.Later
  /** The account of ether from which the transactions were sent. */
  readonly accountIndex: string
  readonly exit: Value
  readonly bid: Value
  /** A transaction from L1. */
  readonly deposit: Value
  readonly lastBatch: Value
}

/** Returns the items of a list. */
export const listOf = async (later: expected.Later, path: string): Promise<ReadonlyArray<Value>> =>
  Object.values(await later(path)).find((member) => Array.isArray(member)) as ReadonlyArray<Value>

export const samplesOf = async (later: expected.Later, { address }: Facts): Promise<Samples> => {
  const first = async (path: string) => {
    const [item] = await listOf(later, path)
    if (item === undefined) throw new Error(`later${path} is empty`)
    return item
  }
  const account = await first(`/accounts?hezEthereumAddress=${address}&tokenIds=0`)
  const accountIndex = String(account.accountIndex)
  const { lastBatch } = (await later("/state")).network as { readonly lastBatch: Value }
  return {
    later,
    accountIndex,
    exit: await first(`/exits?accountIndex=${accountIndex}`),
    bid: await first("/bids?slotNum=5"),
    deposit: await first("/transactions-history?type=CreateAccountDeposit"),
    lastBatch
  }
}

/** Returns the calls whose answers have an equal in `later`. */
export const readsOf = (
  { address, authorized, ids, publicKey }: Facts,
  { accountIndex, bid, deposit, exit, lastBatch, later }: Samples
): ReadonlyArray<Read> => {
  const owned = `hezEthereumAddress=${address}`
  const batch = expected.batchOf(later)
  const openSlot = Number(lastBatch.slotNum) + 4
  const { transaction } = expected
  return [
    ...rowsOf("getAccounts", "accounts", expected.same, [
      ["of an address", [address], `/accounts?${owned}`],
      ["of a key and tokens", [publicKey, [0, 1]], `/accounts?BJJ=${publicKey}&tokenIds=0,1`],
      [
        "of everybody, a page downwards",
        [null, undefined, 300, "DESC", 7],
        "/accounts?fromItem=300&order=DESC&limit=7"
      ],
      ["created by an authorization", [authorized], `/accounts?hezEthereumAddress=${authorized}`]
    ]),
    ...rowsOf("getTransactions", "transactions", transaction, [
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
    ...rowsOf("getExits", "exits", expected.exitOf(later), [
      ["of an address", [address], `/exits?${owned}`],
      ["pending", [null, true], "/exits?onlyPendingWithdraws=true"],
      ["of a key and a token", [publicKey, false, 0], `/exits?BJJ=${publicKey}&tokenId=0`],
      [
        "a page downwards",
        [null, false, undefined, 40, "DESC", 5],
        "/exits?fromItem=40&order=DESC&limit=5"
      ]
    ]),
    ...rowsOf("getTokens", "tokens", expected.same, [
      ["all", [], "/tokens"],
      ["by ids and symbols", [[0, 1, 2], ["ETH", "GOV"]], "/tokens?ids=0,1,2&symbols=ETH,GOV"],
      [
        "a page downwards",
        [undefined, undefined, 5, "DESC", 2],
        "/tokens?fromItem=5&order=DESC&limit=2"
      ]
    ]),
    ...rowsOf("getBatches", "batches", batch, [
      ["all", [], "/batches"],
      ["of a forger and a slot, downwards", [
        lastBatch.forgerAddr,
        lastBatch.slotNum,
        undefined,
        "DESC"
      ], `/batches?forgerAddr=${lastBatch.forgerAddr}&slotNum=${lastBatch.slotNum}&order=DESC`]
    ]),
    ...rowsOf("getCoordinators", "coordinators", expected.same, [["all", [], "/coordinators"]]),
    ...rowsOf("getBids", "bids", expected.bid, [
      ["of a slot", [5], "/bids?slotNum=5"],
      [
        "of a bidder, downwards",
        [undefined, bid.bidderAddr, undefined, "DESC", 3],
        `/bids?bidderAddr=${bid.bidderAddr}&order=DESC&limit=3`
      ]
    ]),
    ...rowsOf("getAccount", undefined, expected.same, [[
      "by index",
      [accountIndex],
      `/accounts/${accountIndex}`
    ]]),
    ...rowsOf("getHistoryTransaction", undefined, transaction, [
      ["from L1", [deposit.id], `/transactions-history/${deposit.id}`],
      ...Object.entries(ids).map(([name, id]) =>
        [name, [id], `/transactions-history/${id}`] as const
      )
    ]),
    ...rowsOf(
      "getExit",
      undefined,
      expected.exitOf(later),
      [["of the account", [exit.batchNum, accountIndex], `/exits/${exit.batchNum}/${accountIndex}`]]
    ),
    ...rowsOf("getToken", undefined, expected.same, [["by id", [1], "/tokens/1"]]),
    ...rowsOf("getBatch", undefined, batch, [["by number", [3], "/batches/3"]]),
    ...rowsOf("getSlot", undefined, expected.slotOf(later), [
      ["in the past", [5], "/slots/5"],
      ["open", [openSlot], `/slots/${openSlot}`]
    ]),
    ...rowsOf("getState", undefined, expected.stateOf(later), [["in each field", [], "/state"]]),
    ...rowsOf("getConfig", undefined, expected.configOf(1337), [["in each field", [], "/config"]]),
    ...rowsOf("getCreateAccountAuthorization", undefined, expected.same, [["of an address", [
      authorized
    ], `/account-creation-authorization/${authorized}`]]),
    ...rowsOf(
      "getPoolTransaction",
      undefined,
      expected.poolTransaction,
      Object.entries(ids).map(([name, id]) => [name, [id], `/transactions-pool/${id}`] as const)
    )
  ]
}

type Row = readonly [fact: string, args: ReadonlyArray<unknown>, path: string]

const rowsOf = (
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
