import { Effect, Stream } from "effect"
import {
  type BlockViolation,
  type EthereumBlock,
  type FeedRecord,
  feedPosition,
  Ledger,
  type LedgerWriter,
  type StoreFailure
} from "../../core/mod.ts"
import { retryUnlessWriterChanged, retryUntilAvailable } from "../stores/mod.ts"
import { FeedFileError } from "./feed_file.ts"
import { missingLastBlock } from "./resumed_feed.ts"

/**
 * Applies the records of a feed to the ledger as they arrive, until the feed ends. If `ledgerBlocks`
 * is set, skips the records up to the last block. While the store is unavailable, it waits. If
 * another process has written the ledger, it skips the records up to the new last block.
 *
 * Fails if the ledger refuses a record, if the feed cannot be read, if the feed ends before the last
 * block of the ledger, or if the failure of the store is permanent. Requires one `WriteSession` for
 * the whole run.
 */
export const followFeed = (
  records: AsyncIterable<FeedRecord>,
  ledgerBlocks?: { readonly genesis: EthereumBlock; readonly last: EthereumBlock }
): Effect.Effect<void, BlockViolation | FeedFileError | StoreFailure, Ledger | LedgerWriter> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const position = new FeedPosition(ledgerBlocks?.genesis)
    /** Last block of the ledger, if the feed has not reached it yet. */
    let awaitedBlock = ledgerBlocks && !position.matches(ledgerBlocks.last)
      ? ledgerBlocks.last
      : undefined
    // a feed with only a genesis record is valid: blocks then come from elsewhere
    let isEmpty = true

    const applyOrSkip = (
      record: FeedRecord
    ): Effect.Effect<void, BlockViolation | StoreFailure, LedgerWriter> =>
      Effect.suspend(() => {
        isEmpty = false
        if (awaitedBlock === undefined) {
          return retryUnlessWriterChanged(ledger.applyRecord(record)).pipe(
            Effect.andThen(Effect.sync(() => position.pass(record))),
            Effect.catchTag("WriterChanged", () => findNewLastBlock(record))
          )
        }
        position.pass(record)
        if (position.matches(awaitedBlock)) awaitedBlock = undefined
        return Effect.void
      })
    const findNewLastBlock = (record: FeedRecord) =>
      Effect.gen(function*() {
        const { lastBlock: last } = yield* retryUntilAvailable(feedPosition)
        // the other process may not have written any block
        if (!position.matches(last)) {
          yield* Effect.log(
            `Another process has written the ledger up to Ethereum block ${last.number} (${last.hash}): skipping records up to that block in the feed`
          )
          awaitedBlock = last
        }
        yield* applyOrSkip(record)
      })

    yield* Stream.fromAsyncIterable(
      records,
      (error) =>
        error instanceof FeedFileError ? error : new FeedFileError({ message: String(error) })
    ).pipe(Stream.runForEach(applyOrSkip))
    if (awaitedBlock !== undefined && !isEmpty) yield* Effect.fail(missingLastBlock(awaitedBlock))
  })

/** The position in a feed: the last block that was read, whether applied or skipped. */
class FeedPosition {
  /** The last blocks, ascending. */
  readonly #blocks: Array<Pick<EthereumBlock, "number" | "hash">> = []
  /** The block of a rollback below all of `#blocks`. */
  #number: bigint | undefined

  constructor(last: EthereumBlock | undefined) {
    if (last !== undefined) this.#blocks.push(last)
  }

  pass(record: FeedRecord): void {
    if (record.kind === "rollBack") this.#dropAbove(record.toBlock)
    if (record.kind !== "block") return
    const { hash, number } = record.block
    const last = this.#blocks.at(-1)
    // a repeated block does not move the position
    if (last !== undefined && number <= last.number) return
    this.#blocks.push({ number, hash })
    if (this.#blocks.length > 2 * BLOCKS_MAX) this.#blocks.splice(0, BLOCKS_MAX)
  }

  /**
   * Whether the position is at this block. Compares only the number of a rollback if the block is no
   * longer known.
   */
  matches({ hash, number }: EthereumBlock): boolean {
    const last = this.#blocks.at(-1)
    return last === undefined
      ? this.#number === number
      : last.number === number && last.hash === hash
  }

  /** The last block is then the greatest at or below `number`: it may lie in a gap. */
  #dropAbove(number: bigint): void {
    while ((this.#blocks.at(-1)?.number ?? number) > number) this.#blocks.pop()
    this.#number = number
  }
}

/** Number of blocks that are remembered: more than the depth of any rollback. */
const BLOCKS_MAX = 10_000
