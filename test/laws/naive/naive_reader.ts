import { Effect } from "effect"
import { type LedgerReader, snapshotIdOf } from "../../../core/ports/mod.ts"
import type { Facts } from "../facts.ts"
import { naiveItem, naiveNetworkState, naivePage } from "./naive_answers.ts"

/** Returns the naive model as a `LedgerReader`, to compare two readers. */
export function naiveReader(facts: Facts): LedgerReader["Service"] {
  const snapshotId = snapshotIdOf({
    lastBlock: facts.blocks.at(-1)!,
    head: facts.head,
    lastBatchNum: facts.batches.at(-1)?.batchNum ?? 0,
    version: 0
  })
  return {
    list: (name, query) => Effect.sync(() => ({ ...naivePage(facts, name, query), snapshotId })),
    find: (name, key) => Effect.sync(() => ({ item: naiveItem(facts, name, key), snapshotId })),
    accountsAndTokens: ({ accounts, tokens }) =>
      Effect.sync(() => ({
        accounts: accounts.map((index) => naiveItem(facts, "account", index)?.account ?? null),
        tokens: tokens.map((id) => naiveItem(facts, "token", id)),
        snapshotId
      })),
    state: Effect.sync(() => ({ state: naiveNetworkState(facts), snapshotId })),
    snapshotId: Effect.succeed(snapshotId)
  }
}
