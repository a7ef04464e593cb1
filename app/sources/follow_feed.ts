import { Effect, Stream } from "effect"
import {
  type BlockViolation,
  type EthereumBlock,
  type FeedRecord,
  lastBlock,
  Ledger,
  type LedgerWriter
} from "../../core/mod.ts"
import { retryUnlessWriterChanged, retryUntilAvailable } from "../store_retry.ts"
import { FeedFileError } from "./feed_file.ts"
import { missingLastBlock } from "./resumed_feed.ts"

/** What a followed feed begins with: the last block of the ledger, unless that holds nothing but its genesis, and then everything is told. */
export interface ResumePoint {
  readonly last: EthereumBlock
  readonly isEmpty: boolean
}

/**
 * Tells a ledger the records of a feed as they arrive, to the end of the feed. Passes over everything up to the last block of the ledger,
 * where that is known. Waits where the store does not answer; where another process may have written the ledger meanwhile, passes over what
 * stands in the feed up to the block that is the last one then: for as long as that does not come, nothing is told. Fails with what the
 * ledger refuses, where the feed cannot be read, and where it ends before that block. All in one `WriteSession`.
 */
export const followFeed = (
  records: AsyncIterable<FeedRecord>,
  resumePoint?: ResumePoint
): Effect.Effect<void, BlockViolation | FeedFileError, Ledger | LedgerWriter> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    // who has still to come to a block is not there yet, also where the feed begins with something else than blocks
    const position = new FeedPosition(resumePoint?.isEmpty === true ? resumePoint.last : undefined)
    /** The last block of the ledger, which this process has not reached in the feed. */
    let awaitedBlock = resumePoint?.isEmpty === false ? resumePoint.last : undefined
    // a feed that only says which network it is leaves the blocks to somebody else
    let isEmpty = true

    const applyOrSkip = (record: FeedRecord): Effect.Effect<void, BlockViolation, LedgerWriter> =>
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
        // the other one may have written nothing
        if (!position.matches(last)) {
          yield* Effect.log(
            `Another process has brought the ledger to Ethereum block ${last.number} (${last.hash}): this one waits for that block in its feed, and goes on behind it`
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

/** Where in a feed its reader is, told or passed over: behind which block. */
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

  /** A block that was not passed, or too long ago, is known by its number. */
  matches({ hash, number }: EthereumBlock): boolean {
    return this.#number === number && (this.#hashes.get(number) ?? hash) === hash
  }
}

/** More than a rollback is deep. */
const HASHES_MAX = 10_000n
