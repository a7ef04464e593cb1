import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { chain, genesis, ownCluster } from "./_own_server.ts"
import { type Failure, proxyTo } from "../_proxy.ts"
import { request, served } from "../_running_node.ts"

describe("a database", () => {
  const { database } = ownCluster()

  // silence lasts until the socket times out
  const losses: ReadonlyArray<readonly [Failure, number]> = [["unsent", 6], ["forgotten", 3], [
    "unanswered",
    6
  ], ["silent", 1]]
  for (const [failure, lost] of losses) {
    it.live(`that loses a block's COMMIT (${failure}) stores the block once, or not at all`, () =>
      Effect.scoped(Effect.gen(function*() {
        const url = yield* database
        const proxy = yield* proxyTo(url)
        const { ledger, port } = yield* served(proxy.url, {
          genesis,
          statementTimeoutMs: 1000,
          idleTransactionMs: 1000
        })
        for (const block of chain.slice(0, 2)) yield* ledger.applyBlock(block)
        const direct = yield* served(url, { genesis })
        const versions = [(yield* direct.reader.snapshotId).version]
        for (const block of chain.slice(2, 2 + lost)) {
          const met = proxy.failNext(/^COMMIT/u, failure)
          const first = yield* Effect.result(ledger.applyBlock(block))
          yield* Effect.promise(() => met)
          if (Result.isFailure(first)) {
            assert.instanceOf(first.failure, StoreFailure)
            // the outcome may be unknown, so the caller repeats the write
            let again = yield* Effect.result(ledger.applyBlock(block))
            for (
              ;
              Result.isFailure(again);
              again = yield* Effect.result(ledger.applyBlock(block))
            ) yield* Effect.sleep(100)
          }
          versions.push((yield* direct.reader.snapshotId).version)
        }
        const expected = versionsOf(chain.slice(0, 2 + lost))
        assert.deepStrictEqual(versions, expected.slice(1))
        assert.strictEqual((yield* request(port, "/state")).version, expected.at(-1))
      })))
  }
})

/** Returns the version after each block without failures: each block and each batch adds 1. */
const versionsOf = (blocks: typeof chain): ReadonlyArray<number> =>
  blocks.reduce<ReadonlyArray<number>>(
    (versions, { batches = [] }) => [...versions, (versions.at(-1) ?? 0) + 1 + batches.length],
    []
  )
