import { Effect, Result } from "effect"
import type { EthereumBlock } from "../../domain/mod.ts"
import { LedgerWriter, type StoreFailure } from "../../ports/mod.ts"

/**
 * Returns the last block of the ledger as the writer sees it. With a shared store it waits until
 * this process is the writer.
 */
export const lastBlock: Effect.Effect<EthereumBlock, StoreFailure, LedgerWriter> = Effect.flatMap(
  LedgerWriter,
  (writer) =>
    // the check of a write gets a view with the last block, and refuses the write
    Effect.flip(writer.setPrices([], ({ lastBlock }) => Result.fail(new BlockOfView(lastBlock))))
      .pipe(
        Effect.orDie,
        Effect.flatMap((refused) =>
          refused instanceof BlockOfView ? Effect.succeed(refused.block) : Effect.fail(refused)
        )
      )
)

class BlockOfView {
  readonly block: EthereumBlock
  constructor(block: EthereumBlock) {
    this.block = block
  }
}
