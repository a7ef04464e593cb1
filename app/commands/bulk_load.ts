import { Effect, type Scope } from "effect"
import { verifyExitProof } from "../../adapters/crypto/mod.ts"
import { exitProofWorkers } from "../../adapters/crypto/node.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { BulkWrite, BulkWriter } from "../../adapters/sql/mod.ts"
import {
  type BlockViolation,
  decideBlock,
  decidePrices,
  type FeedRecord,
  type GenesisFeed,
  type StoreFailure,
  type VerifyExit
} from "../../core/mod.ts"

/** Records that can share a database transaction; a rollback needs its own. */
export type BulkRecord = Extract<FeedRecord, { readonly kind: "block" | "prices" }>

/** Loads consecutive records with all checks, in one database transaction. */
export type LoadRecords = (
  records: ReadonlyArray<BulkRecord>
) => Effect.Effect<unknown, BlockViolation | StoreFailure>

/**
 * Returns a bulk loader. Worker threads verify exit proofs, the most expensive check, while the
 * database writes; the transaction commits if all proofs are valid.
 */
export const bulkLoad = (
  bulk: BulkWriter["Service"],
  { constants, network }: GenesisFeed
): Effect.Effect<LoadRecords, never, Scope.Scope> =>
  Effect.map(exitProofWorkers(network), ({ verify }) => (records) => {
    const proofs: Array<Parameters<VerifyExit>> = []
    const deferProof: VerifyExit = (...proof) => proofs.push(proof) > 0
    const writes = (verifyExit: VerifyExit) =>
      records.map((record): BulkWrite<BlockViolation> =>
        record.kind === "block"
          ? {
            kind: "block",
            block: record.block,
            decide: decideBlock({ constants, keccak256, verifyExit }, record.block)
          }
          : { kind: "prices", prices: record.prices, check: decidePrices(record.prices) }
      )
    const check = Effect.flatMap(
      Effect.suspend(() => verify(proofs)),
      (results) => results.every((isValid) => isValid) ? Effect.void : Effect.fail(invalidProof)
    )
    return Effect.catchIf(
      bulk.applyAll(writes(deferProof), check),
      (error) => error === invalidProof,
      // retries with immediate proof checks: stores the valid blocks, and names the invalid one
      () => bulk.applyAll(writes(verifyExitProof))
    ) as Effect.Effect<unknown, BlockViolation | StoreFailure>
  })

const invalidProof = "invalid proof"
