import type { ItemName, Items, ListName, Operation } from "../../contract/mod.ts"
import { isPendingWithdraw, type NetworkConstants, slotOfBlock } from "../../domain/mod.ts"
import type { LedgerPart, LedgerSnapshot, LedgerStamp } from "../../ports/mod.ts"

/** A dependency of an answer: a part of the ledger, or the slot of its last block. */
export type Dependency = LedgerPart | "slot"

/*
 * An answer is current until one of its dependencies changes. Every answer about the ledger depends
 * on the rollbacks. Items that no later block changes depend on less: a batch on nothing else, a
 * forged transaction and a withdrawn exit on the prices of tokens.
 */

const always = (...parts: ReadonlyArray<Dependency>): ReadonlyArray<Dependency> =>
  Object.freeze(["rollBacks", ...parts] as const)

const listDependencies: { readonly [N in ListName]: ReadonlyArray<Dependency> } = {
  accounts: always("tokens", "accounts"),
  exits: always("tokens", "exits"),
  transactions: always("tokens", "transactions"),
  batches: always("batches"),
  // a bid includes the latest registration of its bidder
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
  // a queued transaction changes when it is forged
  transaction: ({ transaction }) =>
    transaction.batchNum === null ? listDependencies.transactions : tokensOnly,
  batch: () => rollBacksOnly,
  fullBatch: () => tokensOnly,
  slot: ({ slotNum }, { ethereumBlockNum }, { auction }) =>
    slotNum <= slotOfBlock(auction, ethereumBlockNum) ? pastSlot : listDependencies.slots,
  token: () => listDependencies.tokens,
  coordinator: () => listDependencies.coordinators
}

/** Returns the dependencies of an answer of each kind. */
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
  /**
   * The tokens of the transaction and of the requested one, and the sender, which only a rollback
   * can remove.
   */
  poolTransaction: (isSenderKnown: boolean): ReadonlyArray<Dependency> =>
    isSenderKnown ? tokensOnly : listDependencies.accounts,
  authorization: nothing
}

/**
 * Returns the versions of the dependencies in a snapshot as a short text, which changes if one of
 * them changes.
 */
export const versionsOf = (
  dependencies: ReadonlyArray<Dependency>,
  { parts, stamp }: LedgerSnapshot,
  { auction }: NetworkConstants
): string =>
  dependencies.map((part) =>
    (part === "slot" ? slotOfBlock(auction, stamp.ethereumBlockNum) : parts[part]).toString(36)
  ).join(".")

/** Returns the batch number if the operation returns one batch; otherwise null. */
export const batchOf = (operation: Operation, path: ReadonlyArray<string>): number | null =>
  operation.kind === "item" && operation.item === "batch" ? Number(path[0]) : null
