import { Clock, Effect, Fiber, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { type RollBackReport, snapshotIdOf } from "../../../core/ports/mod.ts"
import type { StagedLedger } from "../../../core/use_cases/mod.ts"
import { changedRows } from "./_changed_rows.ts"
import { loadLedger, type LoadedLedger } from "./_load_ledger.ts"
import { NeededRows } from "./_needed_rows.ts"
import { rollBackTo } from "./_roll_back.ts"
import { StagedWrites } from "./_staged_writes.ts"
import { writeRows } from "./_write_rows.ts"
import type { BulkWrite, CheckedWrite, Placed, WriteResult } from "./bulk_write.ts"

/** What some writes of a transaction did. */
interface Outcome<E> {
  readonly results: ReadonlyArray<WriteResult>
  readonly refused: { readonly reason: E } | null
  readonly changed: boolean
}

interface BulkOptions<E> {
  readonly writes: ReadonlyArray<BulkWrite<E>>
  readonly writeId: string
}

/** Decides writes and stores their changes, in the transaction of the caller. */
export const applyWrites = Effect.fnUntraced(function*<E>(
  sql: SqlClient.SqlClient,
  { writes, ...options }: BulkOptions<E>
) {
  const outcomes: Array<Outcome<E>> = []
  for (let rest = writes; rest.length > 0;) {
    const base = yield* loadLedger(sql, new NeededRows(rest))
    const removesStored = (write: BulkWrite<E>): write is CheckedWrite<"rollBack", E> =>
      write.kind === "rollBack" && write.toBlock < base.lastBlock.number
    const [write] = rest
    const end = rest.findIndex(removesStored)
    const outcome = removesStored(write!)
      ? yield* removeStored(sql, base, { write, ...options })
      : yield* insertStaged(sql, base, {
        writes: end === -1 ? rest : rest.slice(0, end),
        ...options
      })
    outcomes.push(outcome)
    if (outcome.refused !== null) break
    rest = rest.slice(outcome.results.length)
  }
  return { answer: outcomes, changed: outcomes.some(({ changed }) => changed) }
})

/** Removes stored blocks. */
const removeStored = Effect.fnUntraced(function*<E>(
  sql: SqlClient.SqlClient,
  base: LoadedLedger,
  { write: { check, toBlock }, writeId }: {
    readonly write: CheckedWrite<"rollBack", E>
    readonly writeId: string
  }
) {
  const checked = check(base)
  const nothing: Outcome<E> = { results: [], refused: null, changed: false }
  if (Result.isFailure(checked)) return { ...nothing, refused: { reason: checked.failure } }
  const rolledBack = yield* rollBackTo(sql, base, { toBlock, writeId })
  return { ...nothing, results: [rollBackResult(rolledBack)], changed: true }
})

/** Decides writes on the loaded ledger, and inserts the rows of those that no rollback removes. */
const insertStaged = Effect.fnUntraced(function*<E>(
  sql: SqlClient.SqlClient,
  base: LoadedLedger,
  { writeId, writes }: BulkOptions<E>
) {
  const staged = new StagedWrites(base, writes)
  const results: Array<WriteResult> = []
  const checks: Array<Effect.Effect<void, E>> = []
  let refused: Outcome<E>["refused"] = null
  for (const [index, write] of writes.entries()) {
    const staging = yield* Effect.result(stage(staged, index, write))
    if (Result.isFailure(staging)) {
      refused = { reason: staging.failure }
      break
    }
    const { check, ...result } = staging.success
    results.push(result)
    if (check !== undefined) checks.push(check)
  }
  const changed = staged.ledger.base.version > base.version
  if (changed) {
    const running = yield* Effect.forEach(checks, (check) => Effect.forkChild(check))
    yield* Effect.onError(
      writeRows(sql, changedRows(base, staged), writeId),
      () => Fiber.interruptAll(running)
    )
    // commit only if all checks succeed
    for (const each of running) yield* Fiber.join(each)
  }
  const outcome: Outcome<E> = { results, refused, changed }
  return outcome
})

interface Staging<E> extends WriteResult {
  readonly check?: Effect.Effect<void, E> | undefined
}

/** Decides a write on the staged ledger, and places it if it is accepted. */
const stage = Effect.fnUntraced(function*<E>(
  staged: StagedWrites,
  index: number,
  write: BulkWrite<E>
): Effect.fn.Return<Staging<E>, E> {
  const { base } = staged.ledger
  const place = (
    ledgerWith: (ledger: StagedLedger) => Placed,
    check?: Effect.Effect<void, E>
  ): Staging<E> => {
    const placed = staged.place(index, ledgerWith)
    return { applied: true, placed, rolledBack: null, snapshotId: placed.snapshotId, check }
  }
  if (write.kind !== "block") yield* Effect.fromResult(write.check(base))
  switch (write.kind) {
    case "prices":
      return place((ledger) => ledger.setPrices(write.prices))
    case "head":
      return place((ledger) => ledger.setHead(write.head))
    case "rollBack":
      return rollBackResult(
        staged.rollBack(index, write.toBlock, yield* Clock.currentTimeMillis)
      )
    case "block": {
      const decided = yield* Effect.fromResult(write.decide(base))
      const decision = decided.kind === "deferred" ? yield* decided.resolve : decided
      return decision.kind === "alreadyStored"
        ? { applied: false, placed: null, rolledBack: null, snapshotId: snapshotIdOf(base) }
        : place((ledger) => ledger.place(decision.changes), decision.check)
    }
  }
})

const rollBackResult = (rolledBack: RollBackReport): WriteResult => ({
  applied: true,
  placed: null,
  rolledBack,
  snapshotId: rolledBack.snapshotId
})
