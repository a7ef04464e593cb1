import { Schema } from "effect"

/**
 * One rule that one input breaks: its place, the value, the rule, and a sentence for a person.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checkItemKey, type InputFault } from "rollup-node-api"
 *
 * const checked = checkItemKey("account", -1)
 * const fault: InputFault | null = Result.isFailure(checked) ? checked.failure.faults[0] : null
 * console.log(fault?.message)
 * // => account has the invalid value -1: expected an integer from 0 to 281474976710655
 * ```
 */
export const InputFault = Schema.Struct({
  in: Schema.Literals(["path", "query", "header", "body"]),
  /** Name of the parameter, or JSON pointer into the body. */
  parameter: Schema.String,
  /** The value in the request; null if it is missing. */
  value: Schema.NullOr(Schema.String),
  rule: Schema.String,
  /** Name of the rule, if a revision has an error code for it; not for clients. */
  ruleName: Schema.optionalKey(
    Schema.Literals([
      "feeTooLow",
      "feeTooBig",
      "accountOfToken",
      "replacedSender",
      "replaceable",
      "requestWithoutGroup",
      "notAtomic",
      "singleTransaction",
      "requestOffset",
      "groupId",
      "requestOutsideGroup"
    ])
  ),
  message: Schema.String,
  /** The known name that is most similar to an unknown one. */
  nearest: Schema.optionalKey(Schema.String),
  /** The limit that was exceeded, if the rule is a limit; for metrics, not for clients. */
  limit: Schema.optionalKey(Schema.String)
})
export type InputFault = typeof InputFault.Type

/**
 * The request breaks rules of the contract. Lists all of them, not only the first.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checkListQuery } from "rollup-node-api"
 *
 * const checked = checkListQuery("tokens", { filters: {}, fromItem: -1, limit: 0 })
 * if (Result.isFailure(checked)) {
 *   const { _tag, faults } = checked.failure
 *   console.log(_tag, ...faults.map(({ parameter }) => parameter)) // => BadInput fromItem limit
 * }
 * ```
 */
export class BadInput
  extends Schema.TaggedError<BadInput>()("BadInput", { faults: Schema.NonEmptyArray(InputFault) })
{
  override get message(): string {
    return messageOfAll(this.faults)
  }
}

/** Returns the message of an error with several violations. */
export const messageOfAll = (violations: ReadonlyArray<{ readonly message: string }>): string => {
  const count = violations.length === 1 ? "" : `${violations.length} violations: `
  return count + violations.map(({ message }) => message).join("; ")
}
