import { Effect, Fiber, Scope } from "effect"
import {
  LedgerReader,
  type StateRootRequest,
  type StateRootVerifier,
  StoreFailure
} from "../../core/mod.ts"
import type { StateTreeCalls } from "./_state_tree_worker.ts"
import { type CallThread, openCallThread } from "./call_thread.ts"

/** Accounts that are read and sent to the thread at once. */
const PAGE_SIZE = 500

/**
 * Verifies state roots in a thread, which holds the state tree and ends with the scope. For the
 * first block, and after another process has written the ledger, the thread builds the tree from
 * the accounts of the ledger. Meanwhile the verification fails with a transient `StoreFailure`: a
 * write must not wait for it with an open transaction.
 */
export const verifyStateRootsInThread: Effect.Effect<
  StateRootVerifier,
  never,
  LedgerReader | Scope.Scope
> = Effect.gen(function*() {
  const [reader, scope] = [yield* LedgerReader, yield* Effect.scope]
  const [thread, forgetThread] = yield* Effect.cachedInvalidateWithTTL(
    Effect.uninterruptible(
      Scope.provide(openCallThread<StateTreeCalls>("_state_tree_worker"), scope)
    ),
    Infinity
  )
  let building: Fiber.Fiber<void, StoreFailure> | undefined
  return (request) =>
    Effect.gen(function*() {
      const calls = yield* thread
      // a thread that could not start or has crashed is replaced for the next block
      const result = yield* Effect.tapDefect(calls.call("verify", request), () => forgetThread)
      if (result !== "unknown") return result
      if (building?.pollUnsafe() !== undefined) {
        const ended = building
        building = undefined
        // a failed attempt is reported once, and then repeated
        yield* Fiber.join(ended)
      }
      building ??= yield* Effect.forkIn(buildTree(calls, reader, request), scope)
      return yield* new StoreFailure({
        message: "The state tree is being built from the accounts of the ledger",
        retry: true
      })
    })
})

/** Builds the tree of all accounts of the ledger, and compares its root with the last batch. */
const buildTree = (
  { call }: CallThread<StateTreeCalls>,
  reader: LedgerReader["Service"],
  { parentHash, parentNumber }: StateRootRequest
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const before = yield* reader.snapshotId
    if (before.ethereumBlockNum !== parentNumber) return
    const startMs = performance.now()
    // an attempt before this one may have failed
    yield* call("endLoad", null)
    let root = 0n
    let count = 0
    for (let fromItem = 0;;) {
      const page = reader.list("accounts", { filters: {}, fromItem, limit: PAGE_SIZE })
      // no filter names an item
      const { items, snapshotId } = yield* Effect.catchTag(page, "NotRegistered", Effect.die)
      // another process writes: the next block starts another attempt
      if (snapshotId.version !== before.version) return yield* call("endLoad", null)
      const last = items.at(-1)
      if (last === undefined) break
      root = yield* call("load", items.map(({ account }) => account))
      count += items.length
      fromItem = last.account.itemId + 1
    }
    const { item: batch } = before.batchNum === null
      ? { item: null }
      : yield* reader.find("batch", before.batchNum)
    if (batch !== null && batch.stateRoot !== root) {
      yield* call("endLoad", null)
      return yield* new StoreFailure({
        message:
          `The ledger has the state root ${batch.stateRoot} in batch ${batch.batchNum}, expected ${root}, the root of its ${count} accounts: load a feed with true state roots into another store, or leave out --check-state-roots`,
        retry: false
      })
    }
    yield* call("endLoad", parentHash)
    yield* Effect.log(
      `The state tree of ${count} accounts was built in ${
        ((performance.now() - startMs) / 1000).toFixed(1)
      } s`
    )
  })
