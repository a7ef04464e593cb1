import { Schema } from "effect"
import { values } from "../../core/mod.ts"

/*
 * The commands of a coordinator to the pool, one a line. Each is named for a method of `Pool`.
 * Amounts and nonces are decimal strings, as in a feed.
 */

const { accountIndex, ethereumAddress, integer, publicKey, safeInteger, signature } = values
const { transactionId: id, uint32: batchNum } = values
const bounded = (maximum: bigint) =>
  values.digits78Text.check(
    Schema.isBetweenBigInt({ minimum: 0n, maximum }, {
      expected: `an integer from 0 to ${maximum}`
    })
  )
const nonce = bounded(2n ** 40n - 1n)
const nonEmptyArray = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(4096))
const reason = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000))
/** Number of transactions of the largest circuit. */
const transactionsMax = 65_536

/** The state of an account after the L1 transactions of the batch, or after pending batches. */
const AccountState = Schema.Struct({
  index: accountIndex,
  tokenId: values.uint32,
  batchNum,
  publicKey,
  address: ethereumAddress,
  nonce,
  balance: bounded(2n ** 192n - 1n)
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
    ttlMs: safeInteger,
    currentBatch: batchNum,
    safetyPeriodBatches: batchNum,
    capacity: safeInteger
  }),
  Schema.Struct({ kind: Schema.Literal("remove"), ids: nonEmptyArray(id), reason }),
  Schema.Struct({ kind: Schema.Literal("reconcile") })
]).annotate({ identifier: "PoolCommand" })

export type PoolCommand = typeof PoolCommand.Type
