import { Schema } from "effect"

/** Identifies the snapshot that an answer was computed on; every answer carries it. */
export const LedgerStamp = Schema.Struct({
  ethereumBlockNum: Schema.BigInt,
  /** Null before the first batch. */
  batchNum: Schema.NullOr(Schema.Int),
  /** Grows with every applied block and batch, every price and every rollback. */
  version: Schema.Int
})
export type LedgerStamp = typeof LedgerStamp.Type
