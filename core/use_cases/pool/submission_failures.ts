import { Schema } from "effect"
import { InputFault } from "../../contract/mod.ts"
import { poolStates } from "../../domain/mod.ts"

/** The post breaks rules. Each fault has a pointer, the value and the rule. */
export class SubmissionRefused
  extends Schema.TaggedError<SubmissionRefused>()("SubmissionRefused", {
    faults: Schema.NonEmptyArray(InputFault)
  })
{
  override get message(): string {
    const [first, ...rest] = this.faults
    return rest.length === 0
      ? first.message
      : `${this.faults.length} violations: ${this.faults.map((fault) => fault.message).join("; ")}`
  }
}

/** Another transaction or authorization with the same id or address is already stored. */
export class SubmissionConflict
  extends Schema.TaggedError<SubmissionConflict>()("SubmissionConflict", {
    faults: Schema.NonEmptyArray(InputFault)
  })
{
  override get message(): string {
    return this.faults[0].message
  }
}

/** The pool has reached its limit of pending transactions, in all or of one sender. */
export class PoolFull extends Schema.TaggedError<PoolFull>()("PoolFull", {
  limit: Schema.Literals(["pendingMax", "pendingPerAccountMax"]),
  maximum: Schema.Int,
  /** The sender of the refused transaction. */
  fromAccountIndex: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {
  override get message(): string {
    const subject = this.limit === "pendingMax" ? "The pool" : `Account ${this.fromAccountIndex}`
    return `${subject} has ${this.maximum} pending transactions, the maximum: try again in ${this.retryAfterSeconds} seconds`
  }
}

const stateNames = { pend: "pending", fing: "forging", fged: "forged", invl: "invalid" } as const

/** Identifies the transaction to replace: its id, or its sender and nonce. */
export const Replaced = Schema.Union([
  Schema.String,
  Schema.Struct({ fromAccountIndex: Schema.Int, nonce: Schema.BigInt })
])
export type Replaced = typeof Replaced.Type

/** The transaction to replace is not in the pool, or is forging or forged. */
export class NothingToReplace extends Schema.TaggedError<NothingToReplace>()("NothingToReplace", {
  replaced: Replaced,
  /** Null if it is not in the pool. */
  state: Schema.NullOr(Schema.Literals(poolStates))
}) {
  override get message(): string {
    const subject = typeof this.replaced === "string"
      ? `transaction ${this.replaced}`
      : `transaction of account ${this.replaced.fromAccountIndex} with nonce ${this.replaced.nonce}`
    return this.state === null
      ? `There is no ${subject} in the pool`
      : `T${subject.slice(1)} is ${
        stateNames[this.state]
      }: only a pending or invalid transaction can be replaced`
  }
}
