import { Effect, Stream } from "effect"
import {
  type BlockViolation,
  type EthereumBlock,
  type FeedRecord,
  lastBlock,
  Ledger,
  type LedgerWriter,
  type StoreFailure
} from "../../core/mod.ts"
import { retryUnlessWriterChanged, retryUntilAvailable } from "../store_retry.ts"
import { FeedFileError } from "./feed_file.ts"
import { missingLastBlock } from "./resumed_feed.ts"

/**
 * The last block of the ledger. If the ledger is empty, this is its genesis, and no record is
 * skipped.
 */
export interface ResumePoint {
  readonly last: EthereumBlock
  readonly isEmpty: boolean
}

/**
 * Applies the records of a feed to the ledger as they arrive, until the feed ends. If `resumePoint`
 * is set, skips the records up to that block. While the store is unavailable, it waits. If another
 * process has written the ledger, it skips the records up to the new last block.
 *
 * Fails if the ledger refuses a record, if the feed cannot be read, if the feed ends before the last
 * block of the ledger, or if the failure of the store is permanent. Requires one `WriteSession` for
 * the whole run.
 */
export const followFeed = (
  records: AsyncIterable<FeedRecord>,
  resumePoint?: ResumePoint
): Effect.Effect<void, BlockViolation | FeedFileError | StoreFailure, Ledger | LedgerWriter> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    // the position is undefined before the first block: the feed may start with other records
    const position = new FeedPosition(resumePoint?.isEmpty === true ? resumePoint.last : undefined)
    /** Last block of the ledger, if the feed has not reached it yet. */
    let awaitedBlock = resumePoint?.isEmpty === false ? resumePoint.last : undefined
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
        const last = yield* retryUntilAvailable(lastBlock)
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
    ).pipe(
      Stream.runForEach(applyOrSkip)
    )
    if (awaitedBlock !== undefined && !isEmpty) yield* Effect.fail(missingLastBlock(awaitedBlock))
  })

/** The position in a feed: the last block that was read, whether applied or skipped. */
class FeedPosition {
  #number: bigint | undefined
  readonly #hashes = new Map<bigint, string>()

  constructor(last: EthereumBlock | undefined) {
    if (last === undefined) return
    this.#number = last.number
    this.#hashes.set(last.number, last.hash)
  }

  pass(record: FeedRecord): void {
    if (record.kind === "rollBack") this.#number = record.toBlock
    if (record.kind !== "block") return
    const { hash, number } = record.block
    this.#number = number
    this.#hashes.set(number, hash)
    this.#hashes.delete(number - HASHES_MAX)
  }

  /**
   * Whether the position is at this block. Compares only the number if the hash is no longer
   * stored.
   */
  matches({ hash, number }: EthereumBlock): boolean {
    return this.#number === number && (this.#hashes.get(number) ?? hash) === hash
  }
}

/** Number of block hashes stored: more than the depth of any rollback. */
const HASHES_MAX = 10_000n
