import { Effect, Result } from "effect"
import type { IncomingMessage } from "node:http"
import {
  parseTransactionId,
  type Pool,
  type StoreFailure,
  type TransactionId
} from "../../core/mod.ts"
import { failed, unread } from "./_feed.ts"
import { linesOf, type LineLimits, UnreadLine } from "./_lines.ts"
import { PoolCommand, poolCommandKinds } from "./_pool_command.ts"
import { recordReader } from "./_record.ts"
import { json, type RecordFault, refusal, type Reply } from "./_reply.ts"

export interface PoolDoor {
  /** Does what the lines of a body say, one by one and each as a whole. */
  readonly command: (request: IncomingMessage, path: string) => Effect.Effect<Reply>
  /** A transaction, and every step that it made. */
  readonly transaction: (id: string, path: string) => Effect.Effect<Reply>
}

const read = recordReader(PoolCommand, poolCommandKinds)

/**
 * The pool over HTTP, for a coordinator in another program. A line with a fault keeps the whole body from being begun. The same line
 * sent again changes nothing, since a transaction moves only from where it is: `changed` names what moved this time, and `transactions`
 * where each one is now, which tells after a lost answer what the first time did.
 */
export const makePool = (pool: Pool["Service"], limits: LineLimits): PoolDoor => {
  const stateOf = (id: TransactionId) =>
    Effect.map(
      pool.transaction(id),
      (transaction) => ({
        id,
        state: transaction?.state ?? null,
        batchNum: transaction?.batchNum ?? null
      })
    )

  const command = Effect.fnUntraced(function*(request: IncomingMessage, path: string) {
    const commands: Array<{ readonly line: number; readonly command: PoolCommand }> = []
    const faults: Array<RecordFault> = []
    const lines = linesOf(request, limits)
    for (;;) {
      const next = yield* Effect.promise(() => lines.next())
      if (next.done === true) break
      if (next.value instanceof UnreadLine) return refusal(unread(next.value, limits), path)
      const { number, text } = next.value
      const command = read(number, text)
      if (Result.isFailure(command)) faults.push(...command.failure)
      else commands.push({ line: number, command: command.success })
    }
    if (faults.length > 0) {
      return refusal({
        name: "invalid-record",
        message: toldOf(faults),
        faults: faults.slice(0, faultsMax),
        told: { line: faults[0]!.line, results: [] }
      }, path)
    }

    const results: Array<object> = []
    for (const { command, line } of commands) {
      const result = yield* Effect.result(Effect.uninterruptible(done(command)))
      if (Result.isFailure(result)) {
        const { told, ...refused } = failed(result.failure, line)
        return refusal({ ...refused, told: { ...told, results } }, path)
      }
      results.push({ line, kind: command.kind, ...result.success })
    }
    return json(200, { results })
  })

  const done = (command: PoolCommand): Effect.Effect<object, StoreFailure> => {
    switch (command.kind) {
      case "select": {
        const { kind: _, ...options } = command
        return pool.select(options)
      }
      case "startForging":
        return moved(pool.startForging(command.ids, command.batchNum), command.ids)
      case "doneForging":
        return moved(pool.doneForging(command.ids, command.batchNum), command.ids)
      case "invalidate":
        return moved(
          pool.invalidate(command.transactions, command.batchNum),
          command.transactions.map(({ id }) => id)
        )
      case "remove":
        return moved(pool.remove(command.ids, command.reason), command.ids)
      case "invalidateOldNonces":
        return moved(pool.invalidateOldNonces(command.nonces, command.batchNum))
      case "rollBack":
        return moved(pool.rollBack(command.lastValidBatch))
      case "purge":
        return moved(pool.purge(command))
      case "settle":
        return moved(pool.settle)
    }
  }
  const moved = (
    changing: Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>,
    ids?: ReadonlyArray<TransactionId>
  ) =>
    Effect.flatMap(
      changing,
      (changed) =>
        Effect.map(
          Effect.forEach(ids ?? changed, stateOf),
          (transactions) => ({ changed, transactions })
        )
    )

  const transaction = Effect.fnUntraced(function*(text: string, path: string) {
    const id = Result.getOrUndefined(parseTransactionId(text))
    const transitions = id === undefined ? [] : yield* pool.transitions(id)
    if (id === undefined || transitions.length === 0) {
      return refusal({
        name: "not-found",
        message: `The pool never held a transaction ${JSON.stringify(text.slice(0, 100))}`
      }, path)
    }
    return json(200, {
      transaction: yield* pool.transaction(id),
      transitions,
      passedOver: yield* pool.skippedTransaction(id)
    })
  })

  const orFailed = (reply: Effect.Effect<Reply, StoreFailure>, path: string) =>
    Effect.catch(reply, (failure) => Effect.succeed(refusal(failed(failure), path)))
  return {
    command: (request, path) => orFailed(command(request, path), path),
    transaction: (id, path) => orFailed(transaction(id, path), path)
  }
}

/** Faults of a body that are told. */
const faultsMax = 100

const toldOf = (faults: ReadonlyArray<RecordFault>): string =>
  faults.length === 1
    ? faults[0]!.message
    : `${faults.length} violations, and nothing was done: ${faults[0]!.message}`
