import { Effect, Result } from "effect"
import type { EthereumBlock } from "../../domain/mod.ts"
import { LedgerWriter, type StoreFailure } from "../../ports/mod.ts"

/**
 * Returns the last block of the ledger as the writer sees it. With a shared store this process has
 * to become the writer first, which may take a while.
 */
export const lastBlock: Effect.Effect<EthereumBlock, StoreFailure, LedgerWriter> = Effect.flatMap(
  LedgerWriter,
  (writer) =>
    // the check of a write receives the last block; this check refuses the write, so nothing is
    // stored
    Effect.flip(writer.setPrices([], ({ lastBlock }) => Result.fail(new Seen(lastBlock)))).pipe(
      Effect.orDie,
      Effect.flatMap((refused) =>
        refused instanceof Seen ? Effect.succeed(refused.block) : Effect.fail(refused)
      )
    )
)

class Seen {
  readonly block: EthereumBlock
  constructor(block: EthereumBlock) {
    this.block = block
  }
}
