import { Effect, Fiber, Result, Semaphore } from "effect"
import type { IncomingMessage } from "node:http"
import {
  type BlockViolation,
  type EthereumBlock,
  feedPosition,
  FeedRecord,
  feedRecordKinds,
  type FeedPosition,
  type Ledger,
  type LedgerReader,
  LedgerWriter,
  newWriteSession,
  StoreFailure,
  WriteSession
} from "../../core/mod.ts"
import { type LineLimits, readLines, UnreadableLine, recordReader } from "./_record.ts"
import { json, refusal, type Refusal, type Reply, retryLater } from "./_reply.ts"

/** The ports through which the feed is applied. */
export interface FeedPorts {
  readonly ledger: Ledger["Service"]
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
}

export interface FeedHandler {
  /** Replies with the last block and the head of the ledger. */
  readonly tip: (path: string) => Effect.Effect<Reply>
  /** Applies the records of a body, one by one. */
  readonly apply: (request: IncomingMessage, path: string) => Effect.Effect<Reply>
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

/**
 * Returns the handler of the block feed over HTTP. A record is applied as a whole or not at all;
 * the records before a refused one remain applied. Blocks can be sent again, which changes nothing, and
 * so can heads, which replace one another.
 * A rollback or prices that are sent again could undo later changes, so they require `Feed-After`:
 * if the answer was lost and the request is repeated, the header names a block that is no longer
 * the last one, and nothing is applied.
 */
export const makeFeedHandler = (
  { ledger, reader, writer }: FeedPorts,
  limits: FeedLimits
): FeedHandler => {
  const semaphore = Semaphore.makeUnsafe(1)
  /** Returns the last block and the head, or null if another process is the writer. */
  const readPosition = feedPosition.pipe(
    Effect.provideService(LedgerWriter, writer),
    Effect.timeoutOrElse({ duration: writerWaitMs, orElse: () => Effect.succeed(null) })
  )
  const tipOf = ({ head, lastBlock: { hash, number, timestampMs } }: FeedPosition) =>
    Effect.map(
      reader.stamp,
      ({ batchNum, version }) => ({ block: { number, hash, timestampMs }, head, batchNum, version })
    )

  const applyRecords = Effect.fnUntraced(
    function*(request: IncomingMessage, path: string): Effect.fn.Return<Reply, StoreFailure> {
      const position = yield* readPosition
      if (position === null) return refusal(otherWriter, path)
      const { lastBlock: last } = position
      const after = request.headers[afterHeader]
      if (after !== undefined && String(after).toLowerCase() !== last.hash) {
        return refusal(otherLastBlock(String(after), last, yield* tipOf(position)), path)
      }

      const counts = { records: 0, applied: 0, held: 0 }
      const refuse = (reason: Refusal) =>
        refusal({ ...reason, members: { ...reason.members, ...counts } }, path)
      const lines = readLines(request, limits)
      for (;;) {
        const next = yield* Effect.promise(() => lines.next())
        if (next.done === true) break
        const line = next.value
        if (line instanceof UnreadableLine) return refuse(unreadableLine(line, limits))
        const record = readRecord(line.number, line.text)
        if (Result.isFailure(record)) {
          return refuse({
            name: "invalid-record",
            message: record.failure[0]!.message,
            faults: record.failure,
            members: { line: line.number }
          })
        }
        const { kind } = record.success
        if (after === undefined && (kind === "rollBack" || kind === "prices")) {
          return refuse(missingPrecondition(line.number, kind, last))
        }
        const report = yield* Effect.result(
          applyUninterrupted(ledger.applyRecord(record.success), limits)
        )
        if (Result.isFailure(report)) {
          return refuse(
            report.failure._tag === "BlockViolation"
              ? blockViolation(line.number, kind, report.failure)
              : storeFailure(report.failure, line.number)
          )
        }
        counts.records++
        if (
          report.success.kind === "genesis" ||
          (report.success.kind === "block" && !report.success.applied)
        ) counts.held++
        else counts.applied++
      }
      const now = yield* readPosition
      return json(200, { ...counts, ledger: now === null ? null : yield* tipOf(now) })
    }
  )

  return {
    tip: (path) =>
      orStoreFailure(
        Effect.flatMap(readPosition, (position) =>
          position === null
            ? Effect.succeed(refusal(otherWriter, path))
            : Effect.map(tipOf(position), (tip) => json(200, tip))),
        path
      ),
    // one request at a time; its records fail if another process writes between them
    apply: (request, path) =>
      orStoreFailure(
        semaphore.withPermit(Effect.suspend(() =>
          Effect.provideService(applyRecords(request, path), WriteSession, newWriteSession())
        )),
        path
      )
  }
}

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

const otherWriter: Refusal = {
  name: "unavailable",
  message:
    "Another process writes the ledger: send the feed to that process, or try again after it has stopped",
  headers: retryLater
}

const otherLastBlock = (
  after: string,
  { hash, number }: EthereumBlock,
  ledger: object
): Refusal => ({
  name: "ledger-elsewhere",
  message: `Feed-After names block ${
    JSON.stringify(after.slice(0, 100))
  }, expected ${hash}, the last block ${number}: nothing was applied; send the records after that block`,
  members: { ledger }
})

const missingPrecondition = (
  line: number,
  kind: string,
  { hash, number }: EthereumBlock
): Refusal => ({
  name: "precondition-required",
  message:
    `Line ${line} is a ${kind} record, which may have been applied before: send the header Feed-After with the hash of the last block of the ledger; when this request arrived, that was ${hash}, block ${number}`,
  members: { line }
})

/** Returns the refusal for a violation, with its position in the record as a JSON pointer. */
const blockViolation = (
  line: number,
  kind: string,
  { expected, invariant, message, pointer, value }: BlockViolation
): Refusal => ({
  name: "block-violation",
  message: `Line ${line}: ${message}`,
  faults: [{
    line,
    pointer: kind === "block" || kind === "genesis" ? `/${kind}${pointer}` : pointer,
    value,
    rule: expected,
    message,
    invariant
  }],
  members: { line }
})

/** Replies with a refusal if the store fails. */
export const orStoreFailure = (
  reply: Effect.Effect<Reply, StoreFailure>,
  path: string
): Effect.Effect<Reply> =>
  Effect.catch(reply, (failure) => Effect.succeed(refusal(storeFailure(failure), path)))

export const storeFailure = ({ message, retry }: StoreFailure, line?: number): Refusal => ({
  name: retry ? "unavailable" : "internal",
  message: `${line === undefined ? "" : `Line ${line}: `}${message}`,
  ...retry ? { headers: retryLater } : {},
  ...line === undefined ? {} : { members: { line } }
})

/** Returns the refusal for a line that cannot be read, and counts the limit that it exceeds. */
export const unreadableLine = (
  { line, reason }: UnreadableLine,
  { bodyBytesMax, idleMs, lineBytesMax, onHit }: LineLimits
): Refusal => {
  const members = { line }
  if (reason === "too-long" || reason === "body-too-large") onHit("bytes")
  if (reason === "idle") onHit("idleMs")
  switch (reason) {
    case "too-long":
      return {
        name: "body-too-large",
        message: `Line ${line} is too long: at most ${lineBytesMax} bytes are accepted`,
        members
      }
    case "body-too-large":
      return {
        name: "body-too-large",
        message: `The body is too large: at most ${bodyBytesMax} bytes are accepted`,
        members
      }
    case "idle":
      return {
        name: "request-timeout",
        message:
          `Line ${line} is incomplete, and no data arrived for ${idleMs} ms: send the body without such pauses`,
        members
      }
    case "encoding":
      return {
        name: "invalid-record",
        message: `Line ${line} is not UTF-8, expected JSON in UTF-8`,
        faults: [{
          line,
          pointer: "",
          value: null,
          rule: "UTF-8",
          message: `Line ${line} is not UTF-8`
        }],
        members
      }
    case "disconnected":
      return {
        name: "malformed-request",
        message: `The connection closed in line ${line}, before the end of the body`,
        members
      }
  }
}
