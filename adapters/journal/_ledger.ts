import { Result } from "effect"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import type { Decision, LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"
import type { MemoryLedger } from "../memory/mod.ts"
import { durably } from "./_durably.ts"
import { packChanges } from "./_packed_changes.ts"
import type { RecordLog } from "./record_log.ts"

/** The ports of a ledger in memory, whose answers wait until the log says that what they show may be shown. */
export const journaledLedger = (
  ledger: MemoryLedger, journal: RecordLog
): { readonly reader: LedgerReader["Service"]; readonly writer: LedgerWriter["Service"] } => {
  const answer = durably(journal)
  const accepted = (record: FeedRecord, decided?: string) => 
    journal.append({ kind: "ledger", text: journal.needsNoFeed === true && decided !== undefined ? "" : writeFeedLine(record), decided })
  return {
    reader: {
      list: (name, query) => answer(() => ledger.list(name, query)),
      find: (name, key) => answer(() => Result.succeed(ledger.find(name, key))),
      parties: (of) => answer(() => Result.succeed(ledger.parties(of))),
      state: answer(() => Result.succeed(ledger.state())),
      stamp: answer(() => Result.succeed(ledger.stamp()))
    },
    writer: {
      apply: (block, decide) => answer(() => {
        let decision: Decision | undefined
        const applied = ledger.apply((view) => Result.map(decide(view), (decided) => decision = decided))
        if (decision?.kind === "store" && Result.isSuccess(applied)) accepted({ kind: "block", block }, packChanges(decision.changes))
        return applied
      }),
      rollBack: (toBlock, check) => answer(() => {
        const report = ledger.rollBack(toBlock, check)
        // also where it dropped nothing: the version grew
        if (Result.isSuccess(report)) accepted({ kind: "rollBack", toBlock })
        return report
      }),
      setPrices: (prices, check) => answer(() => {
        const stamp = ledger.setPrices(prices, check)
        if (Result.isSuccess(stamp)) accepted({ kind: "prices", prices })
        return stamp
      })
    }
  }
}
