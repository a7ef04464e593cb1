/**
 * An invalid value: `value` is the input as text, `rule` the expected form.
 *
 * It is not an `Error`: capturing a stack trace for each invalid input would cost more than
 * parsing.
 *
 * @example
 * ```ts
 * import { EncodingError } from "rollup-node-api"
 *
 * const { message } = new EncodingError("-1", "a nonce from 0 to 9")
 * console.log(message) // => Invalid value "-1": expected a nonce from 0 to 9
 * ```
 */
export class EncodingError {
  readonly _tag = "EncodingError"
  readonly value: string
  readonly rule: string

  constructor(value: string, rule: string) {
    this.value = value
    this.rule = rule
  }

  /** One sentence for a person. A value of more than 200 characters is truncated. */
  get message(): string {
    const shown = this.value.length > SHOWN_MAX ? `${this.value.slice(0, SHOWN_MAX)}…` : this.value
    return `Invalid value ${JSON.stringify(shown)}: expected ${this.rule}`
  }
}

const SHOWN_MAX = 200
