import { Context, type Effect } from "effect"
import type { AccountValues, Batch, BlockReference, EthereumBlock } from "../domain/mod.ts"
import type { AccountIndex } from "../encoding/mod.ts"
import type { StoreFailure } from "./failures.ts"
import type { FoundItem } from "./ledger_reader.ts"
import type { SnapshotId } from "./ledger_snapshot.ts"

/** The values of an account before and after a batch that created or changed it. */
export interface AccountChange {
  readonly index: AccountIndex
  /** Null if the batch created the account; otherwise `after` of the account's previous change. */
  readonly before: AccountValues | null
  readonly after: AccountValues
}

/** A batch, and the accounts that it created or changed, ascending by index. */
export interface LedgerBatch {
  readonly batch: Batch
  readonly accountChanges: ReadonlyArray<AccountChange>
}

/** A stored block with its place in the chain, and its batches in their order. */
export interface LedgerBlock {
  readonly block: EthereumBlock
  /** The stored block before it; null for the genesis block. The blocks between are empty. */
  readonly previous: EthereumBlock | null
  /** The stored block after it; null for the last one. The blocks between are empty. */
  readonly next: EthereumBlock | null
  readonly batches: ReadonlyArray<LedgerBatch>
}

/** A rollback that removed at least one block. It is never removed itself. */
export interface LedgerRollBack {
  /** 1 for the first rollback of the ledger, and one more for each later one. */
  readonly serial: number
  /** Version of the ledger after it. */
  readonly version: number
  /** The last block that remained. A later rollback may have removed it too. */
  readonly lastBlock: BlockReference
  /** The last block before it, the newest one that it removed. */
  readonly removedBlock: BlockReference
  /** Number of removed blocks, 1 or more. */
  readonly blocks: number
  /** Number of removed batches. */
  readonly batches: number
  /** When the store removed the blocks, in milliseconds since 1970 by the clock of the writer. */
  readonly timeMs: number
}

/**
 * Port: reads what the blocks of the ledger changed, and its rollbacks, so that changes can be
 * followed and undone. Every answer is computed from one snapshot, and its cost is proportional to
 * its size.
 *
 * To follow the chain, read the block of the last position. If its hash is another one, or if there
 * is none, it was rolled back: `rollBacks` says which block remained. Otherwise go on with `next`.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger, LedgerHistory } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const { number } = genesis.block
 * const program = Effect.gen(function*() {
 *   const [ledger, history] = [yield* Ledger, yield* LedgerHistory]
 *   for (let i = 0; i < 9; i++) yield* ledger.applyRecord(next())
 *   const { item } = yield* history.block(number + 9n)
 *   const { after, before } = item!.batches[0]!.accountChanges[0]!
 *   console.log(item?.previous?.number, before?.nonce, after.nonce) // => 18000008n 0n 2n
 *   yield* ledger.rollBack(number + 3n)
 *   console.log((yield* history.block(number + 9n)).item) // => null
 *   const { items: [rollBack] } = yield* history.rollBacks({ afterVersion: 0, limit: 10 })
 *   console.log(rollBack?.serial, rollBack?.lastBlock.number, rollBack?.blocks) // => 1 18000003n 6
 * })
 * const store = Layer.provideMerge(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * await Effect.runPromise(Effect.provide(program, store))
 * ```
 */
export class LedgerHistory extends Context.Service<LedgerHistory, {
  /** Returns the stored block with a number; null for a number in a gap or above the last block. */
  readonly block: (number: bigint) => Effect.Effect<FoundItem<LedgerBlock>, StoreFailure>
  /**
   * Returns the first `limit` rollbacks, 1 or more, after a version of the ledger, in their order.
   */
  readonly rollBacks: (
    query: { readonly afterVersion: number; readonly limit: number }
  ) => Effect.Effect<
    { readonly items: ReadonlyArray<LedgerRollBack>; readonly snapshotId: SnapshotId },
    StoreFailure
  >
  /** Returns the last block that no rollback can remove; null if none was declared final. */
  readonly finalBlock: Effect.Effect<FoundItem<BlockReference>, StoreFailure>
}>()("rollup/core/LedgerHistory") {}
