/** Names the snapshot that an answer was computed on; every answer carries it. */
export interface LedgerStamp {
  readonly ethereumBlockNum: bigint
  /** Null before the first batch. */
  readonly batchNum: number | null
  /** Grows with every applied block and batch, every price and every rollback; never falls. */
  readonly version: number
}
