import { Effect, Stream } from "effect"
import { type BlockViolation, type EthereumBlock, type FeedRecord, lastBlock, Ledger, type LedgerWriter } from "../core/mod.ts"
import { FeedFileError } from "./feed_file.ts"
import { patiently, patientlyInTurn } from "./patience.ts"
import { doesNotTell } from "./resumed_feed.ts"

/**
 * Tells a ledger the records of a feed as they arrive, to the end of the feed. Waits where the store does not answer; where another process
 * has written the ledger meanwhile, passes over what that one has told it. Fails with what the ledger refuses, and where the feed cannot be read.
 */
export const followFeed = (records: AsyncIterable<FeedRecord>): Effect.Effect<void, BlockViolation | FeedFileError, Ledger | LedgerWriter> =>
  Effect.gen(function*() {
    const ledger = yield* Ledger
    const place = new Place()
    /** The last block of the ledger, where another process has told it that and the feed has yet to reach it. */
    let awaited: EthereumBlock | undefined

    const tell = (record: FeedRecord): Effect.Effect<void, BlockViolation, LedgerWriter> => Effect.suspend(() => {
      if (awaited === undefined) {
        return patientlyInTurn(ledger.applyRecord(record)).pipe(
          Effect.andThen(Effect.sync(() => place.pass(record))),
          Effect.catchTag("Overtaken", () => lookAgain(record))
        )
      }
      place.pass(record)
      if (place.isAt(awaited)) awaited = undefined
      return Effect.void
    })
    const lookAgain = (record: FeedRecord) =>
      Effect.gen(function*() {
        const last = yield* patiently(lastBlock)
        // the other one may have written nothing
        if (!place.isAt(last)) {
          yield* Effect.log(`Another process has brought the ledger to Ethereum block ${last.number}: this one goes on behind it`)
          awaited = last
        }
        yield* tell(record)
      })

    yield* Stream.fromAsyncIterable(records, (error) => error instanceof FeedFileError ? error : new FeedFileError({ message: String(error) })).pipe(
      Stream.runForEach(tell)
    )
    if (awaited !== undefined) yield* Effect.fail(doesNotTell(awaited))
  })

/** Where in a feed its reader is: behind which block. */
class Place {
  #number: bigint | undefined
  readonly #hashes = new Map<bigint, string>()

  pass(record: FeedRecord): void {
    if (record.kind === "rollBack") this.#number = record.toBlock
    if (record.kind !== "block") return
    const { hash, number } = record.block
    this.#number = number
    this.#hashes.set(number, hash)
    this.#hashes.delete(number - REMEMBERED_BLOCKS)
  }

  /** A block that was passed too long ago to be remembered is known by its number. */
  isAt({ hash, number }: EthereumBlock): boolean {
    return this.#number === number && (this.#hashes.get(number) ?? hash) === hash
  }
}

/** More than a rollback is deep. */
const REMEMBERED_BLOCKS = 10_000n
