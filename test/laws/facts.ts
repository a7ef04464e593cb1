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
  NetworkVariables,
  Token,
  Transaction
} from "../../core/domain/mod.ts"

/** Everything that a ledger holds, as plain arrays in the documented order. Rows are not numbered: their `itemId` is 0. */
export interface Facts {
  readonly genesis: GenesisFeed
  readonly blocks: ReadonlyArray<EthereumBlock>
  readonly lastEthereumBlock: bigint
  readonly tokens: ReadonlyArray<Token>
  readonly accounts: ReadonlyArray<Account>
  readonly exits: ReadonlyArray<Exit>
  /** Forged ones. */
  readonly transactions: ReadonlyArray<Transaction>
  /** L1 user transactions that wait. */
  readonly queued: ReadonlyArray<Transaction>
  readonly batches: ReadonlyArray<Batch>
  readonly bids: ReadonlyArray<Bid>
  readonly coordinators: ReadonlyArray<Coordinator>
  readonly variables: NetworkVariables
  /** From the newest to the oldest. */
  readonly auctionVariables: ReadonlyArray<AuctionVariables>
}

/** The records that count in the end: a rollback takes away every later block, and the prices after it. */
export function keptRecords(records: Iterable<FeedRecord>): ReadonlyArray<FeedRecord> {
  let kept: Array<FeedRecord> = []
  for (const record of records) {
    if (record.kind === "rollBack") {
      const end = kept.findIndex((earlier) =>
        earlier.kind === "block" && earlier.block.number > record.toBlock
      )
      if (end >= 0) kept = kept.slice(0, end)
    } else if (
      record.kind === "block" &&
      kept.some((earlier) =>
        earlier.kind === "block" && earlier.block.number === record.block.number
      )
    ) {
      // sent twice
    } else if (record.kind !== "genesis") {
      kept.push(record)
    }
  }
  return kept
}
