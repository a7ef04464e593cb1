import { Schema, SchemaTransformation } from "effect"

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

export const PoolCommand = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("select"),
    maxTransactions: integer(1, transactionsMax),
    maxNewAccounts: Schema.optionalKey(integer(0, transactionsMax)),
    accounts: Schema.optionalKey(Schema.Array(AccountState).check(Schema.isMaxLength(4096)))
  }),
  Schema.Struct({ kind: Schema.Literal("startForging"), ids: nonEmptyArray(id), batchNum }),
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

export type PoolCommand = typeof PoolCommand.Type

export const poolCommandKinds: ReadonlyArray<PoolCommand["kind"]> = [
  "select",
  "startForging",
  "doneForging",
  "invalidate",
  "invalidateOldNonces",
  "rollBack",
  "purge",
  "remove",
  "settle"
]
