import { Effect, Result } from "effect"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import type { LedgerReader, LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { type MemoryLedger, WriteQueue, yieldForLargeBlocks } from "../memory/mod.ts"
import { answerWhenDurable, awaitDurable } from "./_durable_answers.ts"
import { packChanges } from "./_packed_changes.ts"
import type { LogEntry, RecordLog } from "./record_log.ts"

/**
 * Returns the ports of a ledger in memory that append each accepted write to a log. An answer waits
 * until the log is durable.
 */
export const journaledLedger = (
  ledger: MemoryLedger,
  log: RecordLog
): { readonly reader: LedgerReader["Service"]; readonly writer: LedgerWriter["Service"] } => {
  const answer = answerWhenDurable(log)
  const writes = new WriteQueue(ledger.view)
  // waits for the log outside of the queue, so that the next write shares the commit
  const enqueue = <A, E, F>(write: Effect.Effect<Result.Result<A, E>, F>) =>
    awaitDurable(log, writes.run(write))
  return {
    reader: {
      list: (name, query) => answer(() => ledger.list(name, query)),
      find: (name, key) => answer(() => Result.succeed(ledger.find(name, key))),
      accountsAndTokens: (of) => answer(() => Result.succeed(ledger.accountsAndTokens(of))),
      state: answer(() => Result.succeed(ledger.state())),
      stamp: answer(() => Result.succeed(ledger.stamp()))
    },
    writer: {
      apply: (block, decide) =>
        awaitDurable(
          log,
          writes.apply(decide, (decision) => {
            const store = () => ledger.apply(() => Result.succeed(decision))
            if (decision.kind === "alreadyStored") return unlessFailed(log, store)
            const entry = entryOf({ kind: "block", block }, packChanges(decision.changes))
            return Effect.andThen(
              yieldForLargeBlocks(decision.changes),
              unlessFailed(log, () => {
                const stored = store()
                log.append(entry)
                return stored
              })
            )
          })
        ),
      rollBack: (toBlock, check) =>
        enqueue(unlessFailed(log, () => {
          const report = ledger.rollBack(toBlock, check)
          // appended even if no block was dropped, since the version grew
          if (Result.isSuccess(report)) log.append(entryOf({ kind: "rollBack", toBlock }))
          return report
        })),
      setPrices: (prices, check) =>
        enqueue(unlessFailed(log, () => {
          const stamp = ledger.setPrices(prices, check)
          if (Result.isSuccess(stamp)) log.append(entryOf({ kind: "prices", prices }))
          return stamp
        }))
    }
  }
}

const entryOf = (record: FeedRecord, changes?: string): LogEntry => ({
  kind: "ledger",
  text: writeFeedLine(record),
  changes
})

/** Runs a write, unless the log failed while the write was waiting or being checked. */
const unlessFailed = <A>(log: RecordLog, write: () => A): Effect.Effect<A, StoreFailure> =>
  Effect.suspend(() => log.failure === undefined ? Effect.sync(write) : Effect.fail(log.failure))
