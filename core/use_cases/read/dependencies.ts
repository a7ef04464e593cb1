import type { ItemName, Items, ListName, Operation } from "../../contract/mod.ts"
import { isPendingWithdraw, type NetworkConstants, slotOfBlock } from "../../domain/mod.ts"
import type { Dependency, SnapshotId } from "../../ports/mod.ts"

/*
 * An answer is current until one of its dependencies changes. Every answer from the ledger depends
 * on rollbacks. Items that no later block changes have few other dependencies: a batch has none, a
 * forged transaction and a withdrawn exit depend on token prices.
 */

const withRollBacks = (...parts: ReadonlyArray<Dependency>): ReadonlyArray<Dependency> =>
  Object.freeze(["rollBacks", ...parts] as const)

const listDependencies: { readonly [N in ListName]: ReadonlyArray<Dependency> } = {
  accounts: withRollBacks("tokens", "accounts"),
  exits: withRollBacks("tokens", "exits"),
  transactions: withRollBacks("tokens", "transactions"),
  batches: withRollBacks("batches"),
  // a bid includes the latest registration of its bidder
  slots: withRollBacks("auction", "bids", "coordinators", "slot"),
  bids: withRollBacks("bids", "coordinators"),
  tokens: withRollBacks("tokens"),
  coordinators: withRollBacks("coordinators")
}

const rollBacksOnly = withRollBacks()
const tokensOnly = withRollBacks("tokens")
const pastSlot = withRollBacks("auction", "bids", "coordinators")

type OfItem<N extends ItemName> = (
  item: Items[N],
  snapshotId: SnapshotId,
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
  // a lower head can lead back to a slot, but not below that of the last block
  slot: ({ slotNum }, { ethereumBlockNum }, { auction }) =>
    slotNum <= slotOfBlock(auction, ethereumBlockNum) ? pastSlot : listDependencies.slots,
  token: () => listDependencies.tokens,
  coordinator: () => listDependencies.coordinators
}

/** The dependencies of each kind of answer. */
export const dependenciesOf = {
  lists: listDependencies,
  // every block can queue transactions and create accounts that a queued one names
  withQueued: withRollBacks("tokens", "blocks"),
  items: itemDependencies,
  state: withRollBacks("blocks", "head"),
  config: withRollBacks("verifiers")
}

/** Returns whether an answer of the operation is one batch, which becomes final. */
export const returnsOneBatch = (operation: Operation): boolean =>
  operation.kind === "item" && operation.item === "batch"
