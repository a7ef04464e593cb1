import { Effect } from "effect"
import type { ListQuery } from "../../../core/contract/mod.ts"
import { type LedgerReader, limitHits, measure, StoreFailure } from "../../../core/ports/mod.ts"
import { postingLists } from "../postings/mod.ts"
import { isPair, selectionsOf } from "./_index_key_selection.ts"

/**
 * Limits how many lists of the transactions from a sender to another receiver run at once: in all
 * batches, their cost grows with the history of the two. A list beyond the limit fails at once with
 * the reason "busy", so that these lists take no connection and no core from others.
 */
export const limitPairReads = Effect.fnUntraced(
  function*(reader: LedgerReader["Service"], pairReadsMax = 2) {
    let [running, refused] = [0, 0]
    yield* measure(limitHits("pairReadsMax", () => refused))
    const busy = new StoreFailure({
      retry: true,
      reason: "busy",
      message:
        `The server reads at most ${pairReadsMax} of the lists from a sender to another receiver at a time: try again in 1 s, or name a batch`
    })
    const list: LedgerReader["Service"]["list"] = (name, query) =>
      name !== "transactions" || !isPairRead(query)
        ? reader.list(name, query)
        : Effect.suspend(() => {
          if (running >= pairReadsMax) {
            refused++
            return Effect.fail(busy)
          }
          running++
          // the server goes on with the statement if the client leaves
          return Effect.uninterruptible(
            Effect.ensuring(reader.list(name, query), Effect.sync(() => void running--))
          )
        })
    return { ...reader, list }
  }
)

const isPairRead = ({ filters: { batchNum, ...filters } }: ListQuery<"transactions">): boolean =>
  batchNum === undefined && selectionsOf(postingLists.transactions, filters).some(isPair)
