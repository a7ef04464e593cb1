import { Effect, Fiber, Result, Semaphore } from "effect"
import type { IncomingMessage } from "node:http"
import {
  type BlockViolation,
  type EthereumBlock,
  FeedRecord,
  lastBlock,
  type Ledger,
  type LedgerReader,
  LedgerWriter,
  newWriteSession,
  StoreFailure,
  WriteSession
} from "../../core/mod.ts"
import { linesOf, type LineLimits, UnreadLine } from "./_lines.ts"
import { recordReader } from "./_record.ts"
import { json, refusal, type Refusal, type Reply, retryLater } from "./_reply.ts"

/** What the feed is written with. */
export interface FeedPorts {
  readonly ledger: Ledger["Service"]
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
}

export interface Feed {
  /** Where the ledger stands. */
  readonly tip: (path: string) => Effect.Effect<Reply>
  /** Applies the records of a body, one by one and each as a whole. */
  readonly apply: (request: IncomingMessage, path: string) => Effect.Effect<Reply>
}

export interface FeedLimits extends LineLimits {
  /** How long one record may take; a process that is the writer no more waits for its turn. */
  readonly recordMaxMs: number
  /** Is told when a record took longer. */
  readonly tooSlow: () => void
}

/** Names the block that the sender takes for the last one, by its hash. */
const afterHeader = "feed-after"

/** How long a process that does not write the ledger waits to become its writer. */
const writerWaitMs = 3000

const read = recordReader(FeedRecord, ["genesis", "block", "rollBack", "prices"])

/**
 * The block feed over HTTP. A record is the unit: it is applied as a whole or not at all, and what stands before the one that is refused
 * stays applied. The same blocks may be sent again, which changes nothing; a rollback or prices could undo what came after them, so they
 * are taken only with `Feed-After`: sent once more after an answer was lost it names a block that is not the last one any more, and
 * nothing happens.
 */
export const makeFeed = ({ ledger, reader, writer }: FeedPorts, limits: FeedLimits): Feed => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const standing = lastBlock.pipe(
    Effect.provideService(LedgerWriter, writer),
    Effect.timeoutOrElse({ duration: writerWaitMs, orElse: () => Effect.succeed(null) })
  )
  const tipOf = ({ hash, number, timestampMs }: EthereumBlock) =>
    Effect.map(
      reader.stamp,
      ({ batchNum, version }) => ({ block: { number, hash, timestampMs }, batchNum, version })
    )

  const applied = Effect.fnUntraced(
    function*(request: IncomingMessage, path: string): Effect.fn.Return<Reply, StoreFailure> {
      const last = yield* standing
      if (last === null) return refusal(elsewhere, path)
      const after = request.headers[afterHeader]
      const isBound = after !== undefined
      if (isBound && String(after).toLowerCase() !== last.hash) {
        return refusal(otherLast(String(after), last, yield* tipOf(last)), path)
      }

      const counts = { records: 0, applied: 0, held: 0 }
      const refused = (refusalOf: Refusal) =>
        refusal({ ...refusalOf, told: { ...refusalOf.told, ...counts } }, path)
      const lines = linesOf(request, limits)
      for (;;) {
        const next = yield* Effect.promise(() => lines.next())
        if (next.done === true) break
        const line = next.value
        if (line instanceof UnreadLine) return refused(unread(line, limits))
        const record = read(line.number, line.text)
        if (Result.isFailure(record)) {
          return refused({
            name: "invalid-record",
            message: record.failure[0]!.message,
            faults: record.failure,
            told: { line: line.number }
          })
        }
        const { kind } = record.success
        if (!isBound && (kind === "rollBack" || kind === "prices")) {
          return refused(unbound(line.number, kind, last))
        }
        const report = yield* Effect.result(toItsEnd(ledger.applyRecord(record.success), limits))
        if (Result.isFailure(report)) {
          return refused(
            report.failure._tag === "BlockViolation"
              ? violated(line.number, kind, report.failure)
              : failed(report.failure, line.number)
          )
        }
        counts.records++
        if (
          report.success.kind === "genesis" ||
          (report.success.kind === "block" && !report.success.applied)
        ) counts.held++
        else counts.applied++
      }
      const now = yield* standing
      return json(200, { ...counts, ledger: now === null ? null : yield* tipOf(now) })
    }
  )

  const orFailed = (
    reply: Effect.Effect<Reply, StoreFailure>,
    path: string
  ): Effect.Effect<Reply> =>
    Effect.catch(reply, (failure) => Effect.succeed(refusal(failed(failure), path)))
  return {
    tip: (path) =>
      orFailed(
        Effect.flatMap(standing, (last) =>
          last === null
            ? Effect.succeed(refusal(elsewhere, path))
            : Effect.map(tipOf(last), (tip) => json(200, tip))),
        path
      ),
    // its records go on from the last block that it began with
    apply: (request, path) =>
      orFailed(
        oneAtATime.withPermit(Effect.suspend(() =>
          Effect.provideService(applied(request, path), WriteSession, newWriteSession())
        )),
        path
      )
  }
}

/** A client that leaves does not leave a block without what the pool makes of it. */
const toItsEnd = <A, E>(
  write: Effect.Effect<A, E>,
  { recordMaxMs, tooSlow }: FeedLimits
): Effect.Effect<A, E | StoreFailure> =>
  Effect.uninterruptible(Effect.flatMap(
    Effect.forkDetach(Effect.timeoutOrElse(Effect.interruptible(write), {
      duration: recordMaxMs,
      orElse: () =>
        Effect.suspend(() => {
          tooSlow()
          return Effect.fail(
            new StoreFailure({
              retry: true,
              message:
                `The record was not applied within ${recordMaxMs} ms, and may have been in the end: ask where the ledger stands before anything else is sent`
            })
          )
        })
    })),
    Fiber.join
  ))

const elsewhere: Refusal = {
  name: "unavailable",
  message:
    "Another process writes the ledger: send the feed to that one, or try again when it has ended",
  headers: retryLater
}

const otherLast = (after: string, { hash, number }: EthereumBlock, ledger: object): Refusal => ({
  name: "ledger-elsewhere",
  message: `Feed-After names block ${
    JSON.stringify(after.slice(0, 100))
  }, expected ${hash}, the last block ${number}: nothing was applied; send what comes after that block`,
  told: { ledger }
})

const unbound = (line: number, kind: string, { hash, number }: EthereumBlock): Refusal => ({
  name: "precondition-required",
  message:
    `Line ${line} is a ${kind} record, and nothing says that it was not applied before: send the header Feed-After with the hash of the last block of the ledger; when this request came that was ${hash}, block ${number}`,
  told: { line }
})

/** Told as the ledger tells it, at its place in the record. */
const violated = (
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
  told: { line }
})

export const failed = ({ message, retry }: StoreFailure, line?: number): Refusal => ({
  name: retry ? "unavailable" : "internal",
  message: `${line === undefined ? "" : `Line ${line}: `}${message}`,
  ...retry ? { headers: retryLater } : {},
  ...line === undefined ? {} : { told: { line } }
})

export const unread = (
  { line, reason }: UnreadLine,
  { bodyBytesMax, hit, idleMs, lineBytesMax }: LineLimits
): Refusal => {
  const told = { line }
  if (reason === "too-long" || reason === "body-too-large") hit("bytes")
  if (reason === "idle") hit("idleMs")
  switch (reason) {
    case "too-long":
      return {
        name: "body-too-large",
        message: `Line ${line} is too long: at most ${lineBytesMax} bytes are read`,
        told
      }
    case "body-too-large":
      return {
        name: "body-too-large",
        message: `The body is too large: at most ${bodyBytesMax} bytes are read`,
        told
      }
    case "idle":
      return {
        name: "request-timeout",
        message:
          `Line ${line} did not end, and nothing came for ${idleMs} ms: send the body without such pauses`,
        told
      }
    case "encoding":
      return {
        name: "invalid-record",
        message: `Line ${line} is no UTF-8, expected JSON in UTF-8`,
        faults: [{
          line,
          pointer: "",
          value: null,
          rule: "UTF-8",
          message: `Line ${line} is no UTF-8`
        }],
        told
      }
    case "gone":
      return {
        name: "malformed-request",
        message: `The body ended in line ${line}, before its end`,
        told
      }
  }
}
