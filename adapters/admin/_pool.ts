import { Effect, Result, Stream } from "effect"
import {
  parseTransactionId,
  type Pool,
  type StoreFailure,
  type TransactionId
} from "../../core/mod.ts"
import type { HttpAnswer, HttpRequest } from "../http/mod.ts"
import { linesOf } from "./_lines.ts"
import { PoolCommand } from "./_pool_commands.ts"
import { faultsMax, recordReader } from "./_record.ts"
import { json, type RecordFault, type Refusal, storeFailure } from "./_reply.ts"
import type { CountedLimits } from "./limit.ts"

type PoolService = Pool["Service"]

const readCommand = recordReader(
  PoolCommand,
  PoolCommand.members.map(({ fields }) => fields.kind.literal)
)

/**
 * Runs the commands of a body, one by one, for a coordinator in another program. If a line is
 * invalid, no command runs. A command can be sent again if its answer was lost: it changes a
 * transaction only from the expected state. `changed` names the transactions that this command
 * changed, and `transactions` has the current state of each one.
 */
export const runCommands = Effect.fnUntraced(function*(
  pool: PoolService,
  limits: CountedLimits,
  request: HttpRequest
): Effect.fn.Return<HttpAnswer, Refusal> {
  const commands: Array<{ readonly line: number; readonly command: PoolCommand }> = []
  const faults: Array<RecordFault> = []
  let violations = 0
  const lines = linesOf(request, limits, "poolBodyBytesMax")
  yield* Stream.runForEach(lines, ({ number, text }) =>
    Effect.sync(() => {
      const command = readCommand(number, text)
      if (Result.isSuccess(command)) commands.push({ line: number, command: command.success })
      else {
        violations += command.failure.length
        faults.push(...command.failure.slice(0, faultsMax - faults.length))
      }
    }))
  const [first] = faults
  if (first !== undefined) {
    return yield* Effect.fail<Refusal>({
      name: "invalid-record",
      message: violations === 1
        ? first.message
        : `${violations} violations, no command was executed: ${first.message}`,
      faults,
      members: { line: first.line, results: [] }
    })
  }
  const results: Array<object> = []
  for (const { command, line } of commands) {
    const result = yield* Effect.mapError(
      Effect.uninterruptible(run(pool, command)),
      (failure): Refusal => ({ ...storeFailure(failure, line), members: { line, results } })
    )
    results.push({ line, kind: command.kind, ...result })
  }
  return json(200, { results })
})

const run = (pool: PoolService, command: PoolCommand): Effect.Effect<object, StoreFailure> => {
  switch (command.kind) {
    case "select": {
      const { kind: _, ...options } = command
      return pool.select(options)
    }
    case "startForging":
      return changes(pool, command, pool.startForging(command.ids, command.batchNum))
    case "doneForging":
      return changes(pool, command, pool.doneForging(command.ids, command.batchNum))
    case "invalidate":
      return changes(pool, command, pool.invalidate(command.transactions, command.batchNum))
    case "remove":
      return changes(pool, command, pool.remove(command.ids, command.reason))
    case "invalidateOldNonces":
      return changes(pool, command, pool.invalidateOldNonces(command.nonces, command.batchNum))
    case "rollBack":
      return changes(pool, command, pool.rollBack(command.lastValidBatch))
    case "purge":
      return changes(pool, command, pool.purge(command))
    case "reconcile":
      return changes(pool, command, pool.reconcile)
  }
}

/** Adds the current state of the transactions that a command names, or else of the changed ones. */
const changes = Effect.fnUntraced(function*(
  pool: PoolService,
  command: PoolCommand,
  change: Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>
) {
  const changed = yield* change
  const named = "ids" in command
    ? command.ids
    : command.kind === "invalidate"
    ? command.transactions
    : changed
  const transactions = yield* Effect.forEach(named, (each) => {
    const id = typeof each === "string" ? each : each.id
    return Effect.map(pool.transaction(id), (transaction) => ({
      id,
      state: transaction?.state ?? null,
      batchNum: transaction?.batchNum ?? null
    }))
  })
  return { changed, transactions }
})

/** Replies with a transaction and its state transitions. */
export const replyWithTransaction = Effect.fnUntraced(function*(pool: PoolService, text: string) {
  const id = Result.getOrUndefined(parseTransactionId(text))
  const transitions = id === undefined ? [] : yield* pool.transitions(id)
  if (id === undefined || transitions.length === 0) {
    return yield* Effect.fail<Refusal>({
      name: "not-found",
      message: `The pool has never contained a transaction ${JSON.stringify(text.slice(0, 100))}`
    })
  }
  return json(200, {
    transaction: yield* pool.transaction(id),
    transitions,
    passedOver: yield* pool.skippedTransaction(id)
  })
})
