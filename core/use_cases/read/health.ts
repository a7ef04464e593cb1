import { Clock, Effect, Exit } from "effect"
import type { NodeHealth } from "../../domain/mod.ts"
import { StoreDescription, type StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "../pool/mod.ts"

/** Time after which a store that does not answer counts as down. */
const answerTimeout = "2 seconds"

/** Reads from both stores; a store is up if its answer comes in time. */
export const readHealth = Effect.fnUntraced(function*({ pool, reader }: PoolPorts) {
  const description = yield* StoreDescription
  const timestampMs = yield* Clock.currentTimeMillis
  const [isLedgerUp, isPoolUp] = yield* Effect.all([
    answers(reader.snapshotId),
    answers(pool.counts)
  ], {
    concurrency: "unbounded"
  })
  const health: NodeHealth = {
    timestampMs,
    ledger: { ...description, isUp: isLedgerUp },
    pool: { ...description, isUp: isPoolUp }
  }
  return health
})

const answers = (read: Effect.Effect<unknown, StoreFailure>): Effect.Effect<boolean> =>
  Effect.map(Effect.exit(Effect.timeout(read, answerTimeout)), Exit.isSuccess)
