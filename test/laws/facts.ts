import type {
  Account,
  AuctionVariables,
  Batch,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  FeedRecord,
  GenesisFeed,
  HeadFeed,
  NetworkVariables,
  Token,
  Transaction
} from "../../core/domain/mod.ts"
import type { AccountChange } from "../../core/ports/mod.ts"

/**
 * The complete content of a ledger, as arrays in the documented order. `itemId` is 0 in every row,
 * because each store assigns its own.
 */
export interface Facts {
  readonly genesis: GenesisFeed
  readonly blocks: ReadonlyArray<EthereumBlock>
  readonly lastEthereumBlock: bigint
  /** The last head; null if there is none, or if a rollback removed it. */
  readonly head: HeadFeed | null
  readonly tokens: ReadonlyArray<Token>
  readonly accounts: ReadonlyArray<Account>
  /** What each batch changed, by batch and by account. */
  readonly accountChanges: ReadonlyArray<AccountChange & { readonly batchNum: number }>
  readonly exits: ReadonlyArray<Exit>
  /** Forged transactions. */
  readonly transactions: ReadonlyArray<Transaction>
  /** L1 user transactions that are not forged yet. */
  readonly queued: ReadonlyArray<Transaction>
  readonly batches: ReadonlyArray<Batch>
  readonly bids: ReadonlyArray<Bid>
  readonly coordinators: ReadonlyArray<Coordinator>
  readonly variables: NetworkVariables
  /** Newest first. */
  readonly auctionVariables: ReadonlyArray<AuctionVariables>
}

/**
 * Returns the records that are still in effect at the end of a feed. A rollback removes every later
 * block, the prices that were set after it, and a head above its block; each head replaces the one
 * before. A repeated block, the genesis and the rollbacks themselves are left out.
 *
 * ```ts
 * import { simulate } from "rollup-node-api/simulator"
 * import { effectiveRecords } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1, rollBackPeriodBlocks: 0 })
 * const records = Array.from({ length: 9 }, () => simulation.next())
 * const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
 * const rollBack = { kind: "rollBack", toBlock: blocks[1]!.number } as const
 * const kept = effectiveRecords([...records, rollBack]).filter(({ kind }) => kind === "block")
 * console.log(blocks.length > 2, kept.length) // => true 2
 * ```
 */
export function effectiveRecords(records: Iterable<FeedRecord>): ReadonlyArray<FeedRecord> {
  let effective: Array<FeedRecord> = []
  for (const record of records) {
    if (record.kind === "rollBack") {
      const end = effective.findIndex((earlier) =>
        earlier.kind === "block" && earlier.block.number > record.toBlock
      )
      if (end >= 0) effective = effective.slice(0, end)
      effective = effective.filter((earlier) =>
        earlier.kind !== "head" || earlier.head.number <= record.toBlock
      )
    } else if (record.kind === "head") {
      effective = [...effective.filter(({ kind }) => kind !== "head"), record]
    } else if (
      record.kind === "block" &&
      effective.some((earlier) =>
        earlier.kind === "block" && earlier.block.number === record.block.number
      )
    ) {
      // a repeated block has no effect
    } else if (record.kind !== "genesis") {
      effective.push(record)
    }
  }
  return effective
}
