import { Context, Effect, Fiber, Result, Semaphore, Stream } from "effect"
import {
  type BlockViolation,
  type EthereumBlock,
  feedPosition,
  type FeedPosition,
  FeedRecord,
  feedRecordKinds,
  Ledger,
  LedgerReader,
  LedgerWriter,
  type PriceFeed,
  type RecordReport,
  StoreFailure,
  WriteSession
} from "../../core/mod.ts"
import type { HttpAnswer, HttpRequest } from "../http/mod.ts"
import { type Line, linesOf } from "./_lines.ts"
import { recordReader } from "./_record.ts"
import { json, type Refusal, retryLater, storeFailure } from "./_reply.ts"
import type { CountedLimits } from "./limit.ts"

/** The ports through which the feed is applied. */
export type FeedPorts = Ledger | LedgerReader | LedgerWriter

/** Lines of a body, from 1. */
interface LineRange {
  readonly from: number
  to: number
}

/** The header with the hash of the block that the sender considers the last one. */
const afterHeader = "feed-after"

/** How long a process that is not the writer of the ledger waits to become it. */
const writerWaitMs = 3000

const readRecord = recordReader(FeedRecord, feedRecordKinds)

/**
 * Returns the handler of the block feed over HTTP. A record is applied as a whole or not at all;
 * the records before a refused one remain applied. Blocks can be sent again, which changes nothing,
 * and so can heads, which replace one another, and prices, of which older ones have no effect.
 * A rollback that is sent again could undo later blocks, so it requires `Feed-After`: if the answer
 * was lost and the request is repeated, the header names a block that is no longer the last one, and
 * nothing is applied.
 */
export const makeFeedHandler = (ports: Context.Context<FeedPorts>, limits: CountedLimits) => {
  const semaphore = Semaphore.makeUnsafe(1)
  return {
    /** Replies with the last block and the head of the ledger. */
    position: Effect.provideContext(
      Effect.map(Effect.flatMap(readPosition, positionOf), (last) => json(200, last)),
      ports
    ),
    // one request at a time, record by record; these fail if another process writes between them
    apply: (request: HttpRequest) =>
      semaphore.withPermit(Effect.suspend(() =>
        Effect.provideContext(
          applyRecords(limits, request),
          Context.add(ports, WriteSession, { since: null })
        )
      ))
  }
}

/** Returns the last block and the head. Fails if another process is the writer. */
const readPosition = Effect.timeoutOrElse(feedPosition, {
  duration: writerWaitMs,
  orElse: () => Effect.fail(otherWriter)
})

const positionOf = Effect.fnUntraced(
  function*({ head, lastBlock: { hash, number, timestampMs } }: FeedPosition) {
    const { batchNum, version } = yield* (yield* LedgerReader).snapshotId
    return { block: { number, hash, timestampMs }, head, batchNum, version }
  }
)

const applyRecords = Effect.fnUntraced(function*(
  limits: CountedLimits,
  request: HttpRequest
): Effect.fn.Return<HttpAnswer, Refusal | StoreFailure, FeedPorts> {
  const ledger = yield* Ledger
  const position = yield* readPosition
  const { lastBlock: last } = position
  const after = request.headers[afterHeader]
  if (after !== undefined && String(after).toLowerCase() !== last.hash) {
    return yield* Effect.fail(
      otherLastBlock(String(after), last, yield* positionOf(position))
    )
  }
  const counts = { records: 0, applied: 0, held: 0, heldLines: [] as Array<LineRange> }
  const failed = (line: number) => (failure: StoreFailure) => storeFailure(failure, line)
  /** Returns whether the record of a line changes the ledger. */
  const changes = Effect.fnUntraced(function*({ number, text }: Line) {
    const read = yield* readRecordIn(number, text, after === undefined ? last : undefined)
    let record = read
    if (read.kind === "prices" && after === undefined) {
      const prices = yield* Effect.mapError(newPrices(read.prices), failed(number))
      if (prices.length === 0) return false
      record = { ...read, prices }
    }
    const write = applyUninterrupted(ledger.applyRecord(record), limits)
    const report = yield* Effect.mapError(write, (failure) =>
      failure._tag === "BlockViolation"
        ? blockViolation(number, record.kind, failure)
        : failed(number)(failure))
    return !isHeld(report)
  })
  const applyLine = (line: Line) =>
    Effect.map(changes(line), (isChange) => {
      counts.records++
      if (isChange) return void counts.applied++
      counts.held++
      const range = counts.heldLines.at(-1)
      if (range?.to === line.number - 1) range.to = line.number
      else counts.heldLines.push({ from: line.number, to: line.number })
    })
  yield* Effect.mapError(
    Stream.runForEach(linesOf(request, limits, "feedLineBytesMax"), applyLine),
    (reason): Refusal => ({ ...reason, members: { ...reason.members, ...counts } })
  )
  // another process may have become the writer
  const lastNow = yield* Effect.catchIf(
    Effect.flatMap(readPosition, positionOf),
    (failure) => failure === otherWriter,
    () => Effect.succeed(null)
  )
  return json(200, { ...counts, ledger: lastNow })
})

/**
 * Returns the record in a line.
 *
 * @param unconfirmed the last block, if the request does not name it in `Feed-After`
 */
const readRecordIn = (
  line: number,
  text: string,
  unconfirmed: EthereumBlock | undefined
): Effect.Effect<FeedRecord, Refusal> => {
  const record = readRecord(line, text)
  if (Result.isFailure(record)) {
    const faults = record.failure
    return Effect.fail({
      name: "invalid-record",
      message: faults[0]!.message,
      faults,
      members: { line }
    })
  }
  const { kind } = record.success
  return unconfirmed !== undefined && kind === "rollBack"
    ? Effect.fail(missingPrecondition(line, unconfirmed))
    : Effect.succeed(record.success)
}

/** Returns the prices that change their tokens and are not older; all if a token is unknown. */
const newPrices = Effect.fnUntraced(function*(prices: ReadonlyArray<PriceFeed>) {
  const { find } = yield* LedgerReader
  const tokens = yield* Effect.forEach(prices, ({ tokenId }) => find("token", tokenId))
  if (tokens.some(({ item }) => item === null)) return prices
  const last = new Map(tokens.map(({ item }) => [item!.id, item!]))
  return prices.filter(({ priceUSD, timeMs, tokenId }) => {
    const before = last.get(tokenId)!
    const afterMs = timeMs - (before.priceTimeMs ?? timeMs)
    if (afterMs < 0 || (afterMs === 0 && priceUSD === before.priceUSD)) return false
    last.set(tokenId, { ...before, priceUSD, priceTimeMs: priceUSD === null ? null : timeMs })
    return true
  })
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
  { feedRecordTimeoutMs, hits }: CountedLimits
): Effect.Effect<A, E | StoreFailure> =>
  Effect.uninterruptible(Effect.flatMap(
    Effect.forkDetach(Effect.timeoutOrElse(Effect.interruptible(write), {
      duration: feedRecordTimeoutMs,
      orElse: () =>
        Effect.suspend(() => {
          hits.feedRecordTimeoutMs++
          return Effect.fail(
            new StoreFailure({
              retry: true,
              message:
                `The record was not applied within ${feedRecordTimeoutMs} ms, but may still be applied: read the last block of the ledger before you send more records`
            })
          )
        })
    })),
    Fiber.join
  ))

const otherWriter: Refusal = {
  name: "unavailable",
  message:
    "Another process writes the ledger, or a write of this one takes long: send the feed to the process that writes, or try again later",
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
  { hash, number }: EthereumBlock
): Refusal => ({
  name: "precondition-required",
  message:
    `Line ${line} is a rollback, which may have been applied before: send it with the header "Feed-After: ${hash}", the last block of the ledger when this request arrived (${number}), if that is the block to roll back from`,
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
    in: "body",
    line,
    parameter: kind === "block" || kind === "genesis" ? `/${kind}${pointer}` : pointer,
    value,
    rule: expected,
    message,
    invariant
  }],
  members: { line }
})
