import { Effect, Fiber, Result, Semaphore } from "effect"
import {
  type EthereumBlock,
  feedPosition,
  type FeedPosition,
  FeedRecord,
  feedRecordKinds,
  type Ledger,
  type LedgerReader,
  LedgerWriter,
  newWriteSession,
  type RecordReport,
  StoreFailure,
  WriteSession
} from "../../core/mod.ts"
import type { HttpAnswer, HttpRequest } from "../http/mod.ts"
import {
  blockViolation,
  missingPrecondition,
  otherLastBlock,
  otherWriter
} from "./_feed_refusals.ts"
import { forEachLine, type Line, type LineLimits } from "./_lines.ts"
import { recordReader } from "./_record.ts"
import { json, orStoreFailure, refusal, type Refusal, storeFailure } from "./_reply.ts"

/** The ports through which the feed is applied. */
export interface FeedPorts {
  readonly ledger: Ledger["Service"]
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
}

export interface FeedLimits extends LineLimits {
  /** Timeout for one record: a process that is no longer the writer would wait indefinitely. */
  readonly recordMaxMs: number
  /** Called when a record has timed out. */
  readonly onTimeout: () => void
}

/** The header with the hash of the block that the sender considers the last one. */
const afterHeader = "feed-after"

/** How long a process that is not the writer of the ledger waits to become it. */
const writerWaitMs = 3000

const readRecord = recordReader(FeedRecord, feedRecordKinds)

/** The records of a body that the ledger holds: changed by them, or held before. */
interface Counts {
  records: number
  applied: number
  held: number
}

export interface FeedHandler {
  /** Replies with the last block and the head of the ledger. */
  readonly tip: (path: string) => Effect.Effect<HttpAnswer>
  /** Applies the records of a body, one by one. */
  readonly apply: (request: HttpRequest, path: string) => Effect.Effect<HttpAnswer>
}

/**
 * Returns the handler of the block feed over HTTP. A record is applied as a whole or not at all;
 * the records before a refused one remain applied. Blocks can be sent again, which changes nothing,
 * and so can heads, which replace one another.
 * A rollback or prices that are sent again could undo later changes, so they require `Feed-After`:
 * if the answer was lost and the request is repeated, the header names a block that is no longer
 * the last one, and nothing is applied.
 */
export const makeFeedHandler = (ports: FeedPorts, limits: FeedLimits): FeedHandler => {
  const semaphore = Semaphore.makeUnsafe(1)
  return {
    tip: (path) => orStoreFailure(replyWithTip(ports, path), path),
    // one request at a time; its records fail if another process writes between them
    apply: (request, path) =>
      orStoreFailure(
        semaphore.withPermit(Effect.suspend(() =>
          Effect.provideService(
            applyRecords(ports, limits, request, path),
            WriteSession,
            newWriteSession()
          )
        )),
        path
      )
  }
}

/** Returns the last block and the head, or null if another process is the writer. */
const readPosition = ({ writer }: FeedPorts): Effect.Effect<FeedPosition | null, StoreFailure> =>
  feedPosition.pipe(
    Effect.provideService(LedgerWriter, writer),
    Effect.timeoutOrElse({ duration: writerWaitMs, orElse: () => Effect.succeed(null) })
  )

const tipOf = (
  { reader }: FeedPorts,
  { head, lastBlock: { hash, number, timestampMs } }: FeedPosition
) =>
  Effect.map(
    reader.stamp,
    ({ batchNum, version }) => ({ block: { number, hash, timestampMs }, head, batchNum, version })
  )

const replyWithTip = (ports: FeedPorts, path: string) =>
  Effect.flatMap(readPosition(ports), (position) =>
    position === null
      ? Effect.succeed(refusal(otherWriter, path))
      : Effect.map(tipOf(ports, position), (tip) => json(200, tip)))

const applyRecords = Effect.fnUntraced(function*(
  ports: FeedPorts,
  limits: FeedLimits,
  request: HttpRequest,
  path: string
): Effect.fn.Return<HttpAnswer, StoreFailure> {
  const position = yield* readPosition(ports)
  if (position === null) return refusal(otherWriter, path)
  const { lastBlock: last } = position
  const after = request.headers[afterHeader]
  if (after !== undefined && String(after).toLowerCase() !== last.hash) {
    return refusal(otherLastBlock(String(after), last, yield* tipOf(ports, position)), path)
  }
  const counts: Counts = { records: 0, applied: 0, held: 0 }
  const unconfirmed = after === undefined ? last : undefined
  const reason = yield* forEachLine(
    request,
    limits,
    (line) => applyLine(ports, limits, line, unconfirmed, counts)
  )
  if (reason !== undefined) {
    return refusal({ ...reason, members: { ...reason.members, ...counts } }, path)
  }
  const now = yield* readPosition(ports)
  return json(200, { ...counts, ledger: now === null ? null : yield* tipOf(ports, now) })
})

/**
 * Applies the record of a line and counts it. Returns the reason if it is refused.
 *
 * @param unconfirmed the last block, if the request does not name it in `Feed-After`
 */
const applyLine = Effect.fnUntraced(function*(
  { ledger }: FeedPorts,
  limits: FeedLimits,
  { number, text }: Line,
  unconfirmed: EthereumBlock | undefined,
  counts: Counts
): Effect.fn.Return<Refusal | undefined> {
  const record = readRecord(number, text)
  if (Result.isFailure(record)) {
    return {
      name: "invalid-record",
      message: record.failure[0]!.message,
      faults: record.failure,
      members: { line: number }
    }
  }
  const { kind } = record.success
  if (unconfirmed !== undefined && (kind === "rollBack" || kind === "prices")) {
    return missingPrecondition(number, kind, unconfirmed)
  }
  const report = yield* Effect.result(
    applyUninterrupted(ledger.applyRecord(record.success), limits)
  )
  if (Result.isFailure(report)) {
    return report.failure._tag === "BlockViolation"
      ? blockViolation(number, kind, report.failure)
      : storeFailure(report.failure, number)
  }
  counts.records++
  if (isHeld(report.success)) counts.held++
  else counts.applied++
  return undefined
})

/** Returns whether the ledger already held a record. */
const isHeld = (report: RecordReport): boolean =>
  report.kind === "genesis" || (report.kind === "block" && !report.applied)

/**
 * Applies a record and updates the pool, even if the client disconnects meanwhile. Fails if that
 * takes too long; the record may have been applied nevertheless.
 */
const applyUninterrupted = <A, E>(
  write: Effect.Effect<A, E>,
  { onTimeout, recordMaxMs }: FeedLimits
): Effect.Effect<A, E | StoreFailure> =>
  Effect.uninterruptible(Effect.flatMap(
    Effect.forkDetach(Effect.timeoutOrElse(Effect.interruptible(write), {
      duration: recordMaxMs,
      orElse: () =>
        Effect.suspend(() => {
          onTimeout()
          return Effect.fail(
            new StoreFailure({
              retry: true,
              message:
                `The record was not applied within ${recordMaxMs} ms, but may still be applied: read the last block of the ledger before you send more records`
            })
          )
        })
    })),
    Fiber.join
  ))
