import { Effect, Result } from "effect"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import type { LedgerReader, LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { type MemoryLedger, MemoryWriting, turnOfOthers } from "../memory/mod.ts"
import { durably, durablyAfter } from "./_durable_answers.ts"
import { packChanges } from "./_packed_changes.ts"
import type { Entry, RecordLog } from "./record_log.ts"

/** The ports of a ledger in memory, whose answers wait until the log says that what they show may be shown. */
export const journaledLedger = (
  ledger: MemoryLedger,
  journal: RecordLog
): { readonly reader: LedgerReader["Service"]; readonly writer: LedgerWriter["Service"] } => {
  const answer = durably(journal)
  const writing = new MemoryWriting(ledger.view)
  const entryOf = (record: FeedRecord, decided?: string): Entry => ({
    kind: "ledger",
    text: writeFeedLine(record),
    decided
  })
  // waits outside of its turn: the next write shares the commit
  const written = <A, E, F>(write: Effect.Effect<Result.Result<A, E>, F>) =>
    durablyAfter(journal, write)
  /** The journal may have failed while a check was under way. */
  const made = <A>(write: () => A): Effect.Effect<A, StoreFailure> =>
    Effect.suspend(() =>
      journal.failure === undefined ? Effect.sync(write) : Effect.fail(journal.failure)
    )
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
        written(writing.apply(decide, (decision) => {
          if (decision.kind === "alreadyStored") {
            return made(() => ledger.apply(() => Result.succeed(decision)))
          }
          const entry = entryOf({ kind: "block", block }, packChanges(decision.changes))
          return Effect.andThen(
            turnOfOthers(decision.changes),
            made(() => {
              const applied = ledger.apply(() => Result.succeed(decision))
              journal.append(entry)
              return applied
            })
          )
        })),
      rollBack: (toBlock, check) =>
        written(writing.inTurn(made(() => {
          const report = ledger.rollBack(toBlock, check)
          // also where it dropped nothing: the version grew
          if (Result.isSuccess(report)) journal.append(entryOf({ kind: "rollBack", toBlock }))
          return report
        }))),
      setPrices: (prices, check) =>
        written(writing.inTurn(made(() => {
          const stamp = ledger.setPrices(prices, check)
          if (Result.isSuccess(stamp)) journal.append(entryOf({ kind: "prices", prices }))
          return stamp
        })))
    }
  }
}
