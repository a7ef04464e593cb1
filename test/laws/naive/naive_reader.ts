import { Effect } from "effect"
import { type LedgerReader, type LedgerStamp, stampBlocks } from "../../../core/ports/mod.ts"
import type { Facts } from "../facts.ts"
import { naiveItem, naiveNetworkState, naivePage } from "./naive_answers.ts"

/** Returns the naive model as a `LedgerReader`, to compare two readers. */
export function naiveReader(facts: Facts): LedgerReader["Service"] {
  const stamp: LedgerStamp = {
    ...stampBlocks(facts.blocks.at(-1)!.number, facts.head),
    batchNum: facts.batches.at(-1)?.batchNum ?? null,
    version: 0
  }
  return {
    list: (name, query) => Effect.sync(() => ({ ...naivePage(facts, name, query), stamp })),
    find: (name, key) => Effect.sync(() => ({ item: naiveItem(facts, name, key), stamp })),
    accountsAndTokens: ({ accounts, tokens }) =>
      Effect.sync(() => ({
        accounts: accounts.map((index) => naiveItem(facts, "account", index)?.account ?? null),
        tokens: tokens.map((id) => naiveItem(facts, "token", id)),
        stamp
      })),
    state: Effect.sync(() => ({ state: naiveNetworkState(facts), stamp })),
    stamp: Effect.succeed(stamp)
  }
}
