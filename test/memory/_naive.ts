import { Result } from "effect"
import type { MemoryLedger } from "../../adapters/memory/mod.ts"
import {
  type FiltersOf,
  limitMax,
  type ListItems,
  type ListName,
  type ListQuery,
  type PageCounts
} from "../../core/contract/mod.ts"
import { type Coordinator, isPendingWithdraw } from "../../core/domain/mod.ts"

/** Returns the page of a list by a scan of all items, to compare with the indexed page. */
export const naivePage = <N extends ListName>(
  name: N,
  all: ReadonlyArray<ListItems[N]>,
  ledger: MemoryLedger,
  query: ListQuery<N>
) => {
  const conditions = Object.entries(query.filters).map(([filter, value]) => ({
    rule: (rules[name] as LooseRules<N>)[filter]!,
    value
  }))
  const matching = all.filter((item) =>
    conditions.every(({ rule, value }) => rule(item, value, ledger))
  )
  const ids = matching.map((item) => itemIdOf(name, item))
  const remaining = query.order === "DESC"
    ? matching.filter((item) => itemIdOf(name, item) <= (query.fromItem ?? Infinity)).reverse()
    : matching.filter((item) => itemIdOf(name, item) >= (query.fromItem ?? 0))
  const items = remaining.slice(0, query.limit ?? 20)
  const counts: PageCounts = {
    pendingItems: remaining.length - items.length,
    totalItems: ids.length,
    firstItem: ids[0] ?? null,
    lastItem: ids.at(-1) ?? null
  }
  return { items, counts }
}

/** Returns all items of a list, read page by page. */
export const allItems = <N extends ListName>(
  ledger: MemoryLedger,
  name: N
): ReadonlyArray<ListItems[N]> => {
  const all: Array<ListItems[N]> = []
  for (let fromItem = 0;;) {
    const { items, counts } = Result.getOrThrow(
      ledger.list(name, { filters: {} as FiltersOf<N>, fromItem, limit: limitMax })
    )
    all.push(...items)
    if (counts.pendingItems === 0) return all
    fromItem = itemIdOf(name, items.at(-1)!) + 1
  }
}

export const itemIdOf = <N extends ListName>(name: N, item: ListItems[N]): number =>
  (idOf[name] as (item: ListItems[N]) => number)(item)

const idOf: { readonly [N in ListName]: (item: ListItems[N]) => number } = {
  accounts: ({ account }) => account.itemId,
  exits: ({ exit }) => exit.itemId,
  transactions: ({ transaction }) => transaction.itemId,
  batches: ({ itemId }) => itemId,
  slots: ({ slotNum }) => slotNum,
  bids: ({ bid }) => bid.itemId,
  tokens: ({ itemId }) => itemId,
  coordinators: ({ itemId }) => itemId
}

type Rules<N extends ListName> = {
  readonly [F in keyof FiltersOf<N>]-?: (
    item: ListItems[N],
    value: Required<FiltersOf<N>>[F],
    ledger: MemoryLedger
  ) => boolean
}
/** The rules of a list whose filter names are not known to the compiler. */
type LooseRules<N extends ListName> = {
  readonly [filter: string]: (item: ListItems[N], value: unknown, ledger: MemoryLedger) => boolean
}
const isLatest = ({ bidderAddr, itemId }: Coordinator, ledger: MemoryLedger): boolean =>
  ledger.find("coordinator", bidderAddr).item!.itemId === itemId

const rules: { readonly [N in ListName]: Rules<N> } = {
  accounts: {
    address: ({ account }, value) => account.address === value,
    publicKey: ({ account }, value) => account.publicKey === value,
    tokenIds: ({ account }, value) => value.includes(account.tokenId)
  },
  exits: {
    accountIndex: ({ exit }, value) => exit.accountIndex === value,
    address: ({ exit }, value) => exit.address === value,
    publicKey: ({ exit }, value) => exit.publicKey === value,
    tokenId: ({ exit }, value) => exit.tokenId === value,
    batchNum: ({ exit }, value) => exit.batchNum === value,
    onlyPendingWithdraws: ({ exit }, value) => !value || isPendingWithdraw(exit)
  },
  transactions: {
    accountIndex: ({ transaction: { fromAccountIndex, toAccountIndex } }, value) =>
      fromAccountIndex === value || toAccountIndex === value,
    address: ({ transaction: { fromAddress, toAddress } }, value) =>
      fromAddress === value || toAddress === value,
    publicKey: ({ transaction: { fromPublicKey, toPublicKey } }, value) =>
      fromPublicKey === value || toPublicKey === value,
    tokenId: ({ transaction }, value) => transaction.tokenId === value,
    batchNum: ({ transaction }, value) => transaction.batchNum === value,
    type: ({ transaction }, value) => transaction.type === value,
    fromAccountIndex: ({ transaction }, value) => transaction.fromAccountIndex === value,
    toAccountIndex: ({ transaction }, value) => transaction.toAccountIndex === value,
    fromAddress: ({ transaction }, value) => transaction.fromAddress === value,
    toAddress: ({ transaction }, value) => transaction.toAddress === value,
    fromPublicKey: ({ transaction }, value) => transaction.fromPublicKey === value,
    toPublicKey: ({ transaction }, value) => transaction.toPublicKey === value,
    includePending: ({ transaction }, value) => value || transaction.batchNum !== null
  },
  batches: {
    minBatchNum: ({ batchNum }, value) => batchNum > value,
    maxBatchNum: ({ batchNum }, value) => batchNum < value,
    slotNum: ({ slotNum }, value) => slotNum === value,
    forgerAddr: ({ forgerAddr }, value) => forgerAddr === value
  },
  slots: {
    minSlotNum: ({ slotNum }, value) => slotNum >= value,
    maxSlotNum: ({ slotNum }, value) => slotNum <= value,
    wonByBidder: ({ winner }, value) => winner?.bidderAddr === value,
    wonByForger: ({ winner }, value) => winner?.forgerAddr === value,
    bestBidder: ({ bestBid }, value) => bestBid?.bid.bidderAddr === value,
    finishedAuction: ({ closedAuction }, value) => !value || closedAuction
  },
  bids: {
    slotNum: ({ bid }, value) => bid.slotNum === value,
    bidderAddr: ({ bid }, value) => bid.bidderAddr === value,
    forgerAddr: ({ coordinator }, value) => coordinator.forgerAddr === value
  },
  tokens: {
    ids: ({ id }, value) => value.includes(id),
    symbols: ({ symbol }, value) => value.includes(symbol),
    name: ({ name }, value) => name.includes(value),
    addresses: ({ ethereumAddress }, value) => value.includes(ethereumAddress)
  },
  coordinators: {
    bidderAddr: (item, value, ledger) => isLatest(item, ledger) && item.bidderAddr === value,
    forgerAddr: (item, value, ledger) => isLatest(item, ledger) && item.forgerAddr === value,
    onlyLatest: (item, value, ledger) => !value || isLatest(item, ledger)
  }
}
