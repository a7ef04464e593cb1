import { Exit, Result } from "effect"
import { readFileSync } from "node:fs"
import { keccak256 } from "../../../../adapters/hashing/mod.ts"
import type { ListItems, ListName, ListQuery } from "../../../../core/contract/mod.ts"
import { type FeedRecord, type GenesisFeed, readFeedLine } from "../../../../core/domain/mod.ts"
import {
  parseAccountIndex,
  parsePrefixedAddress,
  parsePublicKey
} from "../../../../core/encoding/mod.ts"
import type { Facts as Ledger } from "../../../laws/facts.ts"
import { naiveItem, naiveNetworkState, naivePage, replay } from "../../../laws/naive/mod.ts"
import type { Later } from "../_expected.ts"
import * as objects from "./_objects.ts"
import type { Value } from "../_library.ts"

/*
 * Answers of revision `later`, computed from a feed by the naive model of the laws. Of the server
 * they take only what a feed does not determine: `itemId`, and what is not of the ledger.
 */

const readFeed = (path: string) => {
  let genesis: GenesisFeed | undefined
  const records: Array<FeedRecord> = []
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line === "") continue
    const read = readFeedLine(line)
    if (Exit.isFailure(read)) throw new Error(`${path}: ${String(read.cause)}`)
    const record = read.value
    if (record.kind === "genesis") genesis = record.genesis
    else records.push(record)
  }
  if (genesis === undefined) throw new Error(`${path} has no genesis`)
  return { genesis, records }
}

const listPaths: { readonly [path: string]: ListName } = {
  "/accounts": "accounts",
  "/exits": "exits",
  "/transactions-history": "transactions",
  "/batches": "batches",
  "/bids": "bids",
  "/tokens": "tokens",
  "/coordinators": "coordinators"
}

const prefix = "hez"
const accountIndex = (text: string) => Result.getOrThrow(parseAccountIndex(prefix, text))
const integer = Number
const text = (value: string) => value
const list = <T>(read: (text: string) => T) => (value: string) => value.split(",").map(read)

/** The filters that the checks send: the name in the core, and how its value is read. */
const filters: {
  readonly [parameter: string]: readonly [filter: string, read: (text: string) => unknown]
} = {
  hezEthereumAddress: [
    "address",
    (value) => Result.getOrThrow(parsePrefixedAddress(prefix, value))
  ],
  BJJ: ["publicKey", (value) => Result.getOrThrow(parsePublicKey(prefix, value))],
  accountIndex: ["accountIndex", accountIndex],
  tokenId: ["tokenId", integer],
  tokenIds: ["tokenIds", list(integer)],
  ids: ["ids", list(integer)],
  symbols: ["symbols", list(text)],
  batchNum: ["batchNum", integer],
  slotNum: ["slotNum", integer],
  type: ["type", text],
  forgerAddr: ["forgerAddr", text],
  bidderAddr: ["bidderAddr", text],
  onlyPendingWithdraws: ["onlyPendingWithdraws", (value) => value === "true"]
}

const queryOf = (parameters: URLSearchParams): ListQuery<ListName> => {
  const read: { [name: string]: unknown } = {}
  const page: { [name: string]: unknown } = {}
  for (const [name, value] of parameters) {
    const filter = filters[name]
    if (filter !== undefined) read[filter[0]] = filter[1](value)
    else page[name] = name === "order" ? value : integer(value)
  }
  return { filters: read, ...page } as ListQuery<ListName>
}

const objectOf: { readonly [N in ListName]: (item: ListItems[N]) => Value } = {
  accounts: objects.accountObject,
  exits: objects.exitObject,
  transactions: objects.transactionObject,
  batches: objects.batchObject,
  bids: objects.bidObject,
  tokens: objects.tokenObject,
  coordinators: objects.coordinatorObject,
  slots: objects.slotObject
}

/** Returns the answers of revision `later` of a server that has the ledger of a feed. */
export const answersOfFeed = async (path: string, server: Later): Promise<Later> => {
  const { genesis, records } = readFeed(path)
  const ledger = await withItemIds(replay(genesis, records, keccak256), server)
  return async (request) => {
    const url = new URL(request, "http://feed")
    const [, resource = "", ...keys] = url.pathname.split("/")
    const name = listPaths[url.pathname]
    if (name !== undefined) return pageOf(ledger, name, queryOf(url.searchParams))
    switch (resource) {
      case "state":
        return objects.stateObject(naiveNetworkState(ledger))
      case "transactions-pool":
        return pooledOf(ledger, keys[0]!, await server(request))
      case "account-creation-authorization":
      case "config":
      case "v1":
        return server(request)
      default:
        return itemOf(ledger, resource, keys)
    }
  }
}

const pageOf = (ledger: Ledger, name: ListName, query: ListQuery<ListName>): Value => {
  const { counts, items } = naivePage(ledger, name, query)
  const write = objectOf[name] as (item: unknown) => Value
  return { [name]: items.map(write), pendingItems: counts.pendingItems }
}

const itemOf = (
  ledger: Ledger,
  resource: string,
  [first = "", second = ""]: ReadonlyArray<string>
): Value => {
  switch (resource) {
    case "accounts":
      return objects.accountObject(naiveItem(ledger, "account", accountIndex(first))!)
    case "exits": {
      const key = { batchNum: Number(first), accountIndex: accountIndex(second) }
      return objects.exitObject(naiveItem(ledger, "exit", key)!)
    }
    case "transactions-history":
      return objects.transactionObject(naiveItem(ledger, "transaction", first)!)
    case "batches":
      return objects.batchObject(naiveItem(ledger, "batch", Number(first))!)
    case "full-batches": {
      const { batch, transactions } = naiveItem(ledger, "fullBatch", Number(first))!
      return {
        batch: objects.batchObject(batch),
        transactions: transactions.map(objects.transactionObject)
      }
    }
    case "slots":
      return objects.slotObject(naiveItem(ledger, "slot", Number(first))!)
    case "tokens":
      return objects.tokenObject(naiveItem(ledger, "token", Number(first))!)
    default:
      throw new Error(`A feed has no ${resource}`)
  }
}

/**
 * Returns a pooled transaction as the ledger implies it: forged in the batch that contains it, with
 * the owner of the sending account, and otherwise not forged.
 */
const pooledOf = (ledger: Ledger, id: string, pooled: Value): Value => {
  const found = naiveItem(ledger, "transaction", id)
  if (found === null) return { ...pooled, batchNum: null }
  const { L2Info, ...forged } = objects.transactionObject(found)
  const { fee, nonce } = L2Info as Value
  const shown = [
    "fromAccountIndex",
    "fromHezEthereumAddress",
    "fromBJJ",
    "amount",
    "batchNum",
    "token"
  ]
  return {
    ...pooled,
    ...Object.fromEntries(shown.map((name) => [name, forged[name]])),
    fee,
    nonce,
    state: "fged"
  }
}

/** Adds the ids of the items as the server lists them, whose order and number must be right. */
const withItemIds = async (ledger: Ledger, server: Later): Promise<Ledger> => {
  const numbered = async <Row extends object>(
    path: string,
    rows: ReadonlyArray<Row>
  ): Promise<ReadonlyArray<Row>> => {
    const ids: Array<number> = []
    for (let pendingItems = 1; pendingItems > 0;) {
      const page = await server(`${path}fromItem=${(ids.at(-1) ?? -1) + 1}&limit=2049`)
      pendingItems = Number(page.pendingItems)
      const items = Object.values(page).find((member) => Array.isArray(member))
      ids.push(...(items as ReadonlyArray<{ itemId: number }>).map(({ itemId }) => itemId))
    }
    if (ids.length !== rows.length || ids.some((id, i) => i > 0 && id <= ids[i - 1]!)) {
      throw new Error(`${path} has ${ids.length} items, and the feed ${rows.length}`)
    }
    return rows.map((row, i) => ({ ...row, itemId: ids[i]! }))
  }
  const bidders = new Set(ledger.bids.map(({ bidderAddr }) => bidderAddr))
  const bidIds = new Map<unknown, unknown>()
  for (const bidderAddr of bidders) {
    const bids = ledger.bids.filter((bid) => bid.bidderAddr === bidderAddr)
    const withIds = await numbered(`/bids?bidderAddr=${bidderAddr}&`, bids)
    bids.forEach((bid, i) => bidIds.set(bid, withIds[i]))
  }
  return {
    ...ledger,
    accounts: await numbered("/accounts?", ledger.accounts),
    exits: await numbered("/exits?", ledger.exits),
    transactions: await numbered("/transactions-history?", ledger.transactions),
    batches: await numbered("/batches?", ledger.batches),
    tokens: await numbered("/tokens?", ledger.tokens),
    coordinators: await numbered("/coordinators?", ledger.coordinators),
    bids: ledger.bids.map((bid) => bidIds.get(bid) as typeof bid)
  }
}
