/**
 * The reason a text or a number is no encoding of the wanted thing: `value` is what was given, `rule` what was expected.
 *
 * A plain class, not an `Error`: it is an ordinary answer to bad input, and capturing a stack for each would cost more than the parsing.
 */
export class EncodingError {
  readonly _tag = "EncodingError"
  readonly value: string
  readonly rule: string

  constructor(value: string, rule: string) {
    this.value = value
    this.rule = rule
  }

  /** One sentence for a person; a long value is cut so that the sentence stays readable. */
  get message(): string {
    const shown = this.value.length > SHOWN_MAX ? `${this.value.slice(0, SHOWN_MAX)}…` : this.value
    return `Invalid value ${JSON.stringify(shown)}: expected ${this.rule}`
  }
}

const SHOWN_MAX = 200
