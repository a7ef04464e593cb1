import type { ItemName, Items, ListName, Operation } from "../../contract/mod.ts"
import { isPendingWithdraw, type NetworkConstants, slotOfBlock } from "../../domain/mod.ts"
import type { LedgerPart, LedgerSnapshot, LedgerStamp } from "../../ports/mod.ts"

/** What an answer can depend on: a part of the ledger, or the slot of its last block. */
export type Dependency = LedgerPart | "slot"

/*
 * An answer stays what it is until one of its dependencies changes. Every answer about the ledger depends on the rollbacks. Items that
 * no later block can touch depend on less: a batch on nothing else, a forged transaction and a withdrawn exit on the tokens whose prices
 * they show.
 */

const always = (...parts: ReadonlyArray<Dependency>): ReadonlyArray<Dependency> =>
  Object.freeze(["rollBacks", ...parts] as const)

const listDependencies: { readonly [N in ListName]: ReadonlyArray<Dependency> } = {
  accounts: always("tokens", "accounts"),
  exits: always("tokens", "exits"),
  transactions: always("tokens", "transactions"),
  batches: always("batches"),
  // a bid is shown with the latest registration of its bidder
  slots: always("auction", "bids", "coordinators", "slot"),
  bids: always("bids", "coordinators"),
  tokens: always("tokens"),
  coordinators: always("coordinators")
}

const nothing: ReadonlyArray<Dependency> = Object.freeze([])
const rollBacksOnly = always()
const tokensOnly = always("tokens")
const pastSlot = always("auction", "bids", "coordinators")
const stateDependencies = always("blocks")

type OfItem<N extends ItemName> = (
  item: Items[N],
  stamp: LedgerStamp,
  constants: NetworkConstants
) => ReadonlyArray<Dependency>

const itemDependencies: { readonly [N in ItemName]: OfItem<N> } = {
  account: () => listDependencies.accounts,
  exit: ({ exit }) => isPendingWithdraw(exit) ? listDependencies.exits : tokensOnly,
  // one that waits in its queue changes when it is forged
  transaction: ({ transaction }) =>
    transaction.batchNum === null ? listDependencies.transactions : tokensOnly,
  batch: () => rollBacksOnly,
  fullBatch: () => tokensOnly,
  slot: ({ slotNum }, { ethereumBlockNum }, { auction }) =>
    slotNum <= slotOfBlock(auction, ethereumBlockNum) ? pastSlot : listDependencies.slots,
  token: () => listDependencies.tokens,
  coordinator: () => listDependencies.coordinators
}

/** What an answer of each kind depends on; of an item it depends on the item. */
export const dependenciesOf = {
  list: (name: ListName): ReadonlyArray<Dependency> => listDependencies[name],
  item: <N extends ItemName>(
    name: N,
    item: Items[N],
    stamp: LedgerStamp,
    constants: NetworkConstants
  ): ReadonlyArray<Dependency> => itemDependencies[name](item, stamp, constants),
  state: stateDependencies,
  config: nothing,
  /** Its token and that it is requested for, and its sender, who cannot vanish but by a rollback. */
  poolTransaction: (isSenderKnown: boolean): ReadonlyArray<Dependency> =>
    isSenderKnown ? tokensOnly : listDependencies.accounts,
  authorization: nothing
}

/** The dependencies as they are in a snapshot, as a short text: another one where one of them has changed. */
export const versionsOf = (
  dependencies: ReadonlyArray<Dependency>,
  { parts, stamp }: LedgerSnapshot,
  { auction }: NetworkConstants
): string =>
  dependencies.map((part) =>
    (part === "slot" ? slotOfBlock(auction, stamp.ethereumBlockNum) : parts[part]).toString(36)
  ).join(".")

/** The number of the batch that an operation names and that is all its answer shows; null of any other. */
export const batchOf = (operation: Operation, path: ReadonlyArray<string>): number | null =>
  operation.kind === "item" && operation.item === "batch" ? Number(path[0]) : null
