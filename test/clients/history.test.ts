/*
 * An L1 transaction in the history. The golden files show the list of revision v1, which alone has
 * queued transactions, with each filter and its refusals; the laws of stores compare it with the
 * naive model.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mounts } from "../_mounts.ts"
import { queuedId, recordedNode } from "./_node.ts"
import { shownAt } from "./_recorded.ts"

layer(recordedNode())("an L1 transaction in the history", (it) => {
  it.effect("has account indexes with the symbols of the accounts, in all revisions", () =>
    Effect.gen(function*() {
      for (const mount of mounts) {
        const shown = yield* shownAt(`${mount}/transactions-history/${queuedId}`)
        assert.deepInclude(shown, {
          fromAccountIndex: "hez:ETH:256",
          toAccountIndex: "hez:ETH:257",
          amount: "5"
        })
        assert.strictEqual((shown.token as { symbol: string }).symbol, "HEZ")
      }
    }))
})
