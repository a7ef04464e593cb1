import type { FiltersOf, ItemName, Items, ListName, Operation } from "../../contract/mod.ts"
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
const verifiersOnly = withRollBacks("verifiers")
const pastSlot = withRollBacks("auction", "bids", "coordinators")
// every block can queue transactions and create accounts that a queued one names
const withQueuedTransactions = withRollBacks("tokens", "blocks")
const stateDependencies = withRollBacks("blocks", "head")

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
  list: <N extends ListName>(
    name: N,
    filters: FiltersOf<N>
  ): ReadonlyArray<Dependency> =>
    (filters as FiltersOf<"transactions">).includePending === true
      ? withQueuedTransactions
      : listDependencies[name],
  item: <N extends ItemName>(
    name: N,
    item: Items[N],
    snapshotId: SnapshotId,
    constants: NetworkConstants
  ): ReadonlyArray<Dependency> => itemDependencies[name](item, snapshotId, constants),
  state: stateDependencies,
  config: verifiersOnly
}

/** Returns whether an answer of the operation is one batch, which becomes final. */
export const returnsOneBatch = (operation: Operation): boolean =>
  operation.kind === "item" && operation.item === "batch"
