import { Effect, Result } from "effect"
import type { EthereumBlock } from "../../domain/mod.ts"
import { LedgerWriter, type StoreFailure } from "../../ports/mod.ts"

/** The last block of the ledger, as its writer sees it: where stores are shared, to see it is to be the writer, which may take its time. */
export const lastBlock: Effect.Effect<EthereumBlock, StoreFailure, LedgerWriter> = Effect.flatMap(
  LedgerWriter,
  (writer) =>
    // whoever checks a write is shown the last block; this one refuses it, so nothing is written
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
