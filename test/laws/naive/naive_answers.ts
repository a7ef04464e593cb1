import {
  declaration,
  type Filter,
  type ItemKeys,
  type ItemName,
  type Items,
  limitDefault,
  type ListItems,
  type ListName,
  type ListQuery
} from "../../../core/contract/mod.ts"
import {
  type Coordinator,
  isPendingWithdraw,
  type NetworkState,
  type Transaction,
  type TransactionView
} from "../../../core/domain/mod.ts"
import type { Page } from "../../../core/ports/mod.ts"
import {
  bestBid,
  bidView,
  lastClosedSlot,
  lastOpenSlot,
  registration,
  slot
} from "./_naive_auction.ts"
import { naiveState } from "./_naive_state.ts"
import type { Facts } from "../facts.ts"

/** The items of a list with their itemIds. */
export type Numbered<N extends ListName> = ReadonlyArray<
  { readonly itemId: number; readonly item: ListItems[N] }
>

/**
 * Returns all items of a list: the transactions with those in queues, and of the slots only those
 * with a bid, because the list has no end.
 */
export function everyItem<N extends ListName>(facts: Facts, list: N): Numbered<N>
export function everyItem(facts: Facts, list: ListName): Numbered<ListName> {
  const token = (id: number) => facts.tokens[id]!
  switch (list) {
    case "accounts":
      return facts.accounts.map((account) => ({
        itemId: account.itemId,
        item: { account, token: token(account.tokenId) }
      }))
    case "exits":
      return facts.exits.map((exit) => ({
        itemId: exit.itemId,
        item: { exit, token: token(exit.tokenId) }
      }))
    case "transactions":
      return [
        ...facts.transactions,
        ...facts.queued.map((transaction) => asOfNow(facts, transaction))
      ].map((transaction) => ({
        itemId: transaction.itemId,
        item: transactionView(facts, transaction)
      }))
    case "batches":
      return facts.batches.map((item) => ({ itemId: item.itemId, item }))
    case "bids":
      return facts.bids.map((bid) => ({ itemId: bid.itemId, item: bidView(facts, bid) }))
    case "tokens":
      return facts.tokens.map((item) => ({ itemId: item.itemId, item }))
    case "coordinators":
      return facts.coordinators.map((item) => ({ itemId: item.itemId, item }))
    case "slots":
      return [...new Set(facts.bids.map(({ slotNum }) => slotNum))].sort((a, b) => a - b).map((
        slotNum
      ) => ({ itemId: slotNum, item: slot(facts, slotNum) }))
  }
}

/** The property that a filter compares. If there are several values, any of them may match. */
const comparedValues: {
  readonly [N in ListName]: {
    readonly [filter: string]: (item: ListItems[N], facts: Facts) => ReadonlyArray<unknown>
  }
} = {
  accounts: {
    address: ({ account }) => [account.address],
    publicKey: ({ account }) => [account.publicKey],
    tokenIds: ({ account }) => [account.tokenId]
  },
  exits: {
    accountIndex: ({ exit }) => [exit.accountIndex],
    address: ({ exit }) => [exit.address],
    publicKey: ({ exit }) => [exit.publicKey],
    tokenId: ({ exit }) => [exit.tokenId],
    batchNum: ({ exit }) => [exit.batchNum],
    onlyPendingWithdraws: ({ exit }) => [isPendingWithdraw(exit)]
  },
  transactions: {
    accountIndex: ({ transaction }) => [transaction.fromAccountIndex, transaction.toAccountIndex],
    address: ({ transaction }) => [transaction.fromAddress, transaction.toAddress],
    publicKey: ({ transaction }) => [transaction.fromPublicKey, transaction.toPublicKey],
    tokenId: ({ transaction }) => [transaction.tokenId],
    batchNum: ({ transaction }) => [transaction.batchNum],
    type: ({ transaction }) => [transaction.type],
    fromAccountIndex: ({ transaction }) => [transaction.fromAccountIndex],
    toAccountIndex: ({ transaction }) => [transaction.toAccountIndex],
    fromAddress: ({ transaction }) => [transaction.fromAddress],
    toAddress: ({ transaction }) => [transaction.toAddress],
    fromPublicKey: ({ transaction }) => [transaction.fromPublicKey],
    toPublicKey: ({ transaction }) => [transaction.toPublicKey],
    includePending: ({ transaction }) => [transaction.batchNum === null]
  },
  batches: {
    minBatchNum: ({ batchNum }) => [batchNum],
    maxBatchNum: ({ batchNum }) => [batchNum],
    slotNum: ({ slotNum }) => [slotNum],
    forgerAddr: ({ forgerAddr }) => [forgerAddr]
  },
  slots: {
    minSlotNum: ({ slotNum }) => [slotNum],
    maxSlotNum: ({ slotNum }) => [slotNum],
    wonByBidder: ({ winner }) => [winner?.bidderAddr],
    wonByForger: ({ winner }) => [winner?.forgerAddr],
    bestBidder: ({ slotNum }, facts) => [bestBid(facts, slotNum)?.bid.bidderAddr],
    finishedAuction: ({ closedAuction }) => [closedAuction]
  },
  bids: {
    slotNum: ({ bid }) => [bid.slotNum],
    bidderAddr: ({ bid }) => [bid.bidderAddr],
    forgerAddr: ({ coordinator }) => [coordinator.forgerAddr]
  },
  tokens: {
    ids: ({ id }) => [id],
    symbols: ({ symbol }) => [symbol],
    name: ({ name }) => [name],
    addresses: ({ ethereumAddress }) => [ethereumAddress]
  },
  coordinators: {
    bidderAddr: (item, facts) => isLatest(item, facts) ? [item.bidderAddr] : [],
    forgerAddr: (item, facts) => isLatest(item, facts) ? [item.forgerAddr] : [],
    onlyLatest: (item, facts) => [isLatest(item, facts)]
  }
}

const isLatest = ({ bidderAddr, itemId }: Coordinator, { coordinators }: Facts): boolean =>
  coordinators.findLast((other) => other.bidderAddr === bidderAddr)?.itemId === itemId

/** Returns the values of an item that a filter compares. */
export const valuesOf = <N extends ListName>(
  facts: Facts,
  list: N,
  filter: string,
  item: ListItems[N]
): ReadonlyArray<unknown> =>
  comparedValues[list][filter]!(item, facts).filter((value) =>
    value !== null && value !== undefined
  )

const compare: { readonly [M in Filter["match"]]: (value: never, wanted: never) => boolean } = {
  equal: (value: unknown, wanted: unknown) => value === wanted,
  oneOf: (value: unknown, wanted: ReadonlyArray<unknown>) => wanted.includes(value),
  contains: (value: string, wanted: string) => value.includes(wanted),
  greaterThan: (value: number, wanted: number) => value > wanted,
  lessThan: (value: number, wanted: number) => value < wanted,
  atLeast: (value: number, wanted: number) => value >= wanted,
  atMost: (value: number, wanted: number) => value <= wanted,
  flag: (value: boolean, wanted: boolean) => !wanted || value,
  adding: (value: boolean, wanted: boolean) => wanted || !value
}

/**
 * Returns whether an item matches every filter.
 *
 * @example
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { matchesFilters, naiveItem, replay } from "rollup-node-api/testing"
 *
 * const facts = replay(simulate({ seed: 1 }).genesis, [], keccak256)
 * const ether = naiveItem(facts, "token", 0)!
 * console.log(matchesFilters(facts, "tokens", { symbols: ["ETH"] }, ether)) // => true
 * console.log(matchesFilters(facts, "tokens", { symbols: ["DAI"] }, ether)) // => false
 * ```
 */
export const matchesFilters = <N extends ListName>(
  facts: Facts,
  list: N,
  filters: object,
  item: ListItems[N]
): boolean =>
  Object.entries(filters).every(([filter, wanted]) =>
    comparedValues[list][filter]!(item, facts).some((value) =>
      compare[declaration(list).filters[filter]!.match](value as never, wanted as never)
    )
  )

/**
 * Returns the filters that name an unknown token, account or batch, with the unknown value. A
 * reader fails with `NotRegistered` for such a query.
 *
 * @example
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { replay, unknownReferences } from "rollup-node-api/testing"
 *
 * const facts = replay(simulate({ seed: 1 }).genesis, [], keccak256)
 * console.log(unknownReferences(facts, "tokens", { ids: [0, 7] })) // => [ [ 'ids', 7 ] ]
 * ```
 */
export function unknownReferences(
  facts: Facts,
  list: ListName,
  filters: object
): ReadonlyArray<readonly [string, number]> {
  const exists = {
    token: (id: number) => facts.tokens.some((token) => token.id === id),
    account: (index: number) => facts.accounts.some((account) => account.index === index),
    batch: (batchNum: number) => facts.batches.some((batch) => batch.batchNum === batchNum)
  }
  return Object.entries(filters).flatMap(([filter, wanted]) => {
    const { references } = declaration(list).filters[filter]!
    if (references === undefined) return []
    return [wanted as number | ReadonlyArray<number>].flat().filter((value) =>
      !exists[references](value)
    ).map((value) => [filter, value] as const)
  })
}

/**
 * Returns a page by filtering, sorting and counting the whole list, as every store must answer.
 *
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { naivePage, replay } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const records = Array.from({ length: 30 }, () => simulation.next())
 * const node = await openNode({ genesis })
 * for (const record of records) await node.applyRecord(record)
 * const query = { filters: { type: "Deposit" } } as const
 * const expected = naivePage(replay(genesis, records, keccak256), "transactions", query)
 * const { counts } = await node.list("transactions", query)
 * console.log(counts.totalItems > 0, counts.totalItems === expected.counts.totalItems) // => true true
 * await node.close()
 * ```
 */
export function naivePage<N extends ListName>(
  facts: Facts,
  list: N,
  query: ListQuery<N>
): Omit<Page<ListItems[N]>, "snapshotId"> {
  const { fromItem, limit = limitDefault, order = "ASC" } = query
  if (list === "slots" && !bestBidFilters.some((filter) => filter in query.filters)) {
    return allSlotsPage(facts, query as ListQuery<"slots">) as Omit<
      Page<ListItems[N]>,
      "snapshotId"
    >
  }
  const filters = list === "slots"
    ? { ...query.filters, maxSlotNum: slotBounds(facts, query.filters)[1] }
    : list === "transactions"
    ? { includePending: false, ...query.filters }
    : query.filters
  const matching = everyItem(facts, list).filter(({ item }) =>
    matchesFilters(facts, list, filters, item)
  )
  const ascending = matching.toSorted((a, b) => a.itemId - b.itemId)
  const rest = (order === "ASC" ? ascending : ascending.toReversed())
    .filter(({ itemId }) =>
      fromItem === undefined || (order === "ASC" ? itemId >= fromItem : itemId <= fromItem)
    )
  const items = rest.slice(0, limit).map(({ item }) => item)
  return {
    items,
    counts: {
      pendingItems: rest.length - items.length,
      totalItems: matching.length,
      firstItem: ascending[0]?.itemId ?? null,
      lastItem: ascending.at(-1)?.itemId ?? null
    }
  }
}

/** The filters of slots that select among those with a bid. */
const bestBidFilters = ["wonByBidder", "wonByForger", "bestBidder"]

/**
 * Returns the first and the last slot of the list: `minSlotNum` to `maxSlotNum`, by default up to
 * the last open slot, with `finishedAuction` up to the last closed one.
 */
function slotBounds(
  facts: Facts,
  { finishedAuction = false, maxSlotNum = lastOpenSlot(facts), minSlotNum = 0 }: ListQuery<
    "slots"
  >["filters"]
) {
  return [
    minSlotNum,
    finishedAuction ? Math.min(maxSlotNum, lastClosedSlot(facts)) : maxSlotNum
  ] as const
}

/** Computes a page of slots from the bounds: there are too many slots to list them all. */
function allSlotsPage(
  facts: Facts,
  { filters, fromItem, limit = limitDefault, order = "ASC" }: ListQuery<"slots">
): Omit<Page<ListItems["slots"]>, "snapshotId"> {
  const [least, greatest] = slotBounds(facts, filters)
  const numbers: Array<number> = []
  const ascending = order === "ASC"
  let next = ascending ? Math.max(least, fromItem ?? 0) : Math.min(greatest, fromItem ?? greatest)
  while (numbers.length < limit && next >= least && next <= greatest) {
    numbers.push(next)
    next += ascending ? 1 : -1
  }
  const some = least <= greatest
  return {
    items: numbers.map((slotNum) => slot(facts, slotNum)),
    counts: {
      pendingItems: Math.max(0, ascending ? greatest - next + 1 : next - least + 1),
      totalItems: some ? greatest - least + 1 : 0,
      firstItem: some ? least : null,
      lastItem: some ? greatest : null
    }
  }
}

/** Adds the tokens of a transaction and of the accounts that an L1 user names. */
function transactionView(facts: Facts, transaction: Transaction): TransactionView {
  const otherToken = (of: number | null) => {
    const account = transaction.l1?.userOrigin === true || transaction.amount === 0n
      ? facts.accounts.find(({ index }) => index === of)
      : undefined
    const existed = account !== undefined && account.batchNum <= (transaction.batchNum ?? Infinity)
    return existed && account.tokenId !== transaction.tokenId
      ? facts.tokens[account.tokenId]
      : undefined
  }
  const senderToken = otherToken(transaction.fromAccountIndex)
  const receiverToken = otherToken(transaction.toAccountIndex)
  return {
    transaction,
    token: facts.tokens[transaction.tokenId]!,
    ...senderToken === undefined ? {} : { senderToken },
    ...receiverToken === undefined ? {} : { receiverToken }
  }
}

/**
 * Adds the keys and the address of the accounts that a queued transaction names, as soon as these
 * exist.
 */
function asOfNow(facts: Facts, queued: Transaction): Transaction {
  const account = (of: number | null) => facts.accounts.find(({ index }) => index === of)
  const [sender, receiver] = [account(queued.fromAccountIndex), account(queued.toAccountIndex)]
  return {
    ...queued,
    fromPublicKey: queued.fromPublicKey ?? sender?.publicKey ?? null,
    toAddress: receiver?.address ?? null,
    toPublicKey: receiver?.publicKey ?? null
  }
}

/**
 * Returns an item by its key, or null if there is none.
 *
 * @example
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { naiveItem, replay } from "rollup-node-api/testing"
 *
 * const facts = replay(simulate({ seed: 1 }).genesis, [], keccak256)
 * console.log(naiveItem(facts, "token", 0)?.symbol, naiveItem(facts, "token", 7)) // => ETH null
 * ```
 */
export function naiveItem<N extends ItemName>(
  facts: Facts,
  name: N,
  key: ItemKeys[N]
): Items[N] | null
export function naiveItem(
  facts: Facts,
  name: ItemName,
  key: ItemKeys[ItemName]
): Items[ItemName] | null {
  const transactions = everyItem(facts, "transactions").map(({ item }) => item)
  const batch = facts.batches.find(({ batchNum }) => batchNum === key) ?? null
  switch (name) {
    case "account":
      return everyItem(facts, "accounts").find(({ item }) => item.account.index === key)?.item ??
        null
    case "exit": {
      const { accountIndex, batchNum } = key as ItemKeys["exit"]
      return everyItem(facts, "exits").find(({ item: { exit } }) =>
        exit.batchNum === batchNum && exit.accountIndex === accountIndex
      )?.item ?? null
    }
    case "transaction":
      return transactions.find(({ transaction }) => transaction.id === key) ?? null
    case "batch":
      return batch
    case "fullBatch":
      return batch === null
        ? null
        : {
          batch,
          transactions: transactions.filter(({ transaction }) => transaction.batchNum === key)
        }
    case "slot":
      return slot(facts, key as number)
    case "token":
      return facts.tokens.find(({ id }) => id === key) ?? null
    case "coordinator":
      return registration(facts, key as string) ?? null
  }
}

/**
 * Returns the network state that the facts imply.
 *
 * @example
 * ```ts
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { simulate } from "rollup-node-api/simulator"
 * import { naiveNetworkState, replay } from "rollup-node-api/testing"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const { lastBatch, lastSynchedBlock } = naiveNetworkState(replay(genesis, [], keccak256))
 * console.log(lastBatch, lastSynchedBlock === genesis.block.number) // => null true
 * ```
 */
export const naiveNetworkState: (facts: Facts) => NetworkState = naiveState
