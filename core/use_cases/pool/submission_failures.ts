import { Effect, Schema } from "effect"
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

export const refusalOf = (faults: ReadonlyArray<InputFault>): SubmissionRefused =>
  new SubmissionRefused({ faults: faults as [InputFault, ...Array<InputFault>] })

export const failIfRefused = (
  faults: ReadonlyArray<InputFault>
): Effect.Effect<void, SubmissionRefused> =>
  faults.length === 0 ? Effect.void : Effect.fail(refusalOf(faults))

/** Another transaction, group or authorization with the same id or address is already stored. */
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

/** The transaction to replace is not in the pool, is forging or forged, or belongs to a group. */
export class NothingToReplace extends Schema.TaggedError<NothingToReplace>()("NothingToReplace", {
  id: Schema.String,
  /** Null if it is not in the pool. */
  state: Schema.NullOr(Schema.Literals(poolStates)),
  /** The group that it belongs to. */
  group: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    if (this.group !== undefined) {
      return `Transaction ${this.id} belongs to group ${this.group}: a transaction of a group cannot be replaced`
    }
    return this.state === null
      ? `There is no transaction ${this.id} in the pool`
      : `Transaction ${this.id} is ${
        stateNames[this.state]
      }: only a pending or invalid transaction can be replaced`
  }
}
