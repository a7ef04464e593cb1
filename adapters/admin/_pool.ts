import { Schema, SchemaTransformation, Effect, Result } from "effect"
import type { IncomingMessage } from "node:http"
import {
  parseTransactionId,
  type Pool,
  type StoreFailure,
  type TransactionId
} from "../../core/mod.ts"
import { orStoreFailure, storeFailure, unreadableLine } from "./_feed.ts"
import { type LineLimits, readLines, UnreadableLine, recordReader } from "./_record.ts"
import { json, type RecordFault, refusal, type Reply } from "./_reply.ts"

/*
 * The commands of a coordinator to the pool, one a line. Each is named for a method of `Pool`.
 * Amounts and nonces are decimal strings, as in a feed.
 */

const integer = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const batchNum = integer(0, 4294967295)
const accountIndex = integer(0, 2 ** 48 - 1)
const uint = (maximum: bigint) =>
  Schema.String.check(
    Schema.isPattern(/^(0|[1-9]\d{0,77})$/u, { expected: "a decimal integer of at most 78 digits" })
  ).pipe(Schema.decodeTo(
    Schema.BigInt.check(
      Schema.isBetweenBigInt({ minimum: 0n, maximum }, {
        expected: `an integer from 0 to ${maximum}`
      })
    ),
    SchemaTransformation.transform({ decode: BigInt, encode: String })
  ))
const nonce = uint(2n ** 40n - 1n)
const id = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-f]{66}$/u, {
    expected: "0x and 66 lower-case hexadecimal digits, a transaction id"
  })
)
const signature = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{128}$/u, {
    expected: "128 lower-case hexadecimal digits, the signature of the selected transaction"
  })
)
const nonEmptyArray = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(4096))
const reason = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000))
/** Number of transactions of the largest circuit. */
const transactionsMax = 65_536

/** The state of an account after the L1 transactions of the batch, or after pending batches. */
const AccountState = Schema.Struct({
  index: accountIndex,
  tokenId: integer(0, 4294967295),
  batchNum,
  publicKey: Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{64}$/u, { expected: "64 lower-case hexadecimal digits" })
  ),
  address: Schema.String.check(
    Schema.isPattern(/^0x[0-9a-f]{40}$/u, { expected: "0x and 40 lower-case hexadecimal digits" })
  ),
  nonce,
  balance: uint(2n ** 192n - 1n)
})

/** A command of a posted list. */
export const PoolCommand = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("select"),
    maxTransactions: integer(1, transactionsMax),
    maxNewAccounts: Schema.optionalKey(integer(0, transactionsMax)),
    accounts: Schema.optionalKey(Schema.Array(AccountState).check(Schema.isMaxLength(4096)))
  }),
  Schema.Struct({
    kind: Schema.Literal("startForging"),
    ids: nonEmptyArray(Schema.Union([id, Schema.Struct({ id, signature })])),
    batchNum
  }),
  Schema.Struct({ kind: Schema.Literal("doneForging"), ids: nonEmptyArray(id), batchNum }),
  Schema.Struct({
    kind: Schema.Literal("invalidate"),
    transactions: nonEmptyArray(Schema.Struct({ id, reason })),
    batchNum
  }),
  Schema.Struct({
    kind: Schema.Literal("invalidateOldNonces"),
    nonces: nonEmptyArray(Schema.Struct({ index: accountIndex, nonce })),
    batchNum
  }),
  Schema.Struct({ kind: Schema.Literal("rollBack"), lastValidBatch: batchNum }),
  Schema.Struct({
    kind: Schema.Literal("purge"),
    ttlMs: integer(0, Number.MAX_SAFE_INTEGER),
    currentBatch: batchNum,
    safetyPeriodBatches: batchNum,
    capacity: integer(0, Number.MAX_SAFE_INTEGER)
  }),
  Schema.Struct({ kind: Schema.Literal("remove"), ids: nonEmptyArray(id), reason }),
  Schema.Struct({ kind: Schema.Literal("settle") })
]).annotate({ identifier: "PoolCommand" })

type PoolCommand = typeof PoolCommand.Type

export interface PoolHandler {
  /** Runs the commands of a body, one by one. */
  readonly runCommands: (request: IncomingMessage, path: string) => Effect.Effect<Reply>
  /** Replies with a transaction and its state transitions. */
  readonly transaction: (id: string, path: string) => Effect.Effect<Reply>
}

const readCommand = recordReader(
  PoolCommand,
  PoolCommand.members.map(({ fields }) => fields.kind.literal)
)

/**
 * Returns the handler of the pool over HTTP, for a coordinator in another program. If a line is
 * invalid, no command runs. A command can be sent again if its answer was lost: it changes a
 * transaction only from the expected state. `changed` names the transactions that this command
 * changed, and `transactions` has the current state of each one.
 */
export const makePoolHandler = (pool: Pool["Service"], limits: LineLimits): PoolHandler => {
  const stateOf = (id: TransactionId) =>
    Effect.map(
      pool.transaction(id),
      (transaction) => ({
        id,
        state: transaction?.state ?? null,
        batchNum: transaction?.batchNum ?? null
      })
    )

  const runCommands = Effect.fnUntraced(function*(request: IncomingMessage, path: string) {
    const commands: Array<{ readonly line: number; readonly command: PoolCommand }> = []
    const faults: Array<RecordFault> = []
    const lines = readLines(request, limits)
    for (;;) {
      const next = yield* Effect.promise(() => lines.next())
      if (next.done === true) break
      if (next.value instanceof UnreadableLine) {
        return refusal(unreadableLine(next.value, limits), path)
      }
      const { number, text } = next.value
      const command = readCommand(number, text)
      if (Result.isFailure(command)) faults.push(...command.failure)
      else commands.push({ line: number, command: command.success })
    }
    if (faults.length > 0) {
      return refusal({
        name: "invalid-record",
        message: summarize(faults),
        faults: faults.slice(0, faultsMax),
        members: { line: faults[0]!.line, results: [] }
      }, path)
    }

    const results: Array<object> = []
    for (const { command, line } of commands) {
      const result = yield* Effect.result(Effect.uninterruptible(run(command)))
      if (Result.isFailure(result)) {
        const { members, ...failure } = storeFailure(result.failure, line)
        return refusal({ ...failure, members: { ...members, results } }, path)
      }
      results.push({ line, kind: command.kind, ...result.success })
    }
    return json(200, { results })
  })

  const run = (command: PoolCommand): Effect.Effect<object, StoreFailure> => {
    switch (command.kind) {
      case "select": {
        const { kind: _, ...options } = command
        return pool.select(options)
      }
      case "startForging":
        return changes(
          pool.startForging(command.ids, command.batchNum),
          command.ids.map((each) => typeof each === "string" ? each : each.id)
        )
      case "doneForging":
        return changes(pool.doneForging(command.ids, command.batchNum), command.ids)
      case "invalidate":
        return changes(
          pool.invalidate(command.transactions, command.batchNum),
          command.transactions.map(({ id }) => id)
        )
      case "remove":
        return changes(pool.remove(command.ids, command.reason), command.ids)
      case "invalidateOldNonces":
        return changes(pool.invalidateOldNonces(command.nonces, command.batchNum))
      case "rollBack":
        return changes(pool.rollBack(command.lastValidBatch))
      case "purge":
        return changes(pool.purge(command))
      case "settle":
        return changes(pool.settle)
    }
  }
  /** Adds the current state of the transactions of a command, by default of the changed ones. */
  const changes = (
    change: Effect.Effect<ReadonlyArray<TransactionId>, StoreFailure>,
    ids?: ReadonlyArray<TransactionId>
  ) =>
    Effect.flatMap(
      change,
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
        message: `The pool has never contained a transaction ${JSON.stringify(text.slice(0, 100))}`
      }, path)
    }
    return json(200, {
      transaction: yield* pool.transaction(id),
      transitions,
      passedOver: yield* pool.skippedTransaction(id)
    })
  })

  return {
    runCommands: (request, path) => orStoreFailure(runCommands(request, path), path),
    transaction: (id, path) => orStoreFailure(transaction(id, path), path)
  }
}

/** Maximum number of faults in an answer. */
const faultsMax = 100

const summarize = (faults: ReadonlyArray<RecordFault>): string =>
  faults.length === 1
    ? faults[0]!.message
    : `${faults.length} violations, no command was executed: ${faults[0]!.message}`
