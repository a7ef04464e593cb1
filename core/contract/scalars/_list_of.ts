import { Result, Schema } from "effect"
import { values } from "../../domain/mod.ts"
import { EncodingError } from "../../encoding/mod.ts"
import { scalar } from "./_scalar.ts"
import { type Scalar, wireForm } from "./wire_form.ts"

/**
 * Returns the scalar of a list: the items between commas, without duplicates.
 *
 * @param rule describes the texts, for error messages
 */
export const listOf = <T>(
  item: Scalar<T>,
  rule: string,
  example: ReadonlyArray<T>
): Scalar<ReadonlyArray<T>> =>
  scalar<ReadonlyArray<T>>({
    domain: values.listOf(item),
    parse: (context, spelling) => {
      const decode = wireForm(item).decode(context, spelling)
      return (text) => {
        const items = new Set<T>()
        for (const part of text.split(",")) {
          if (part === "") {
            return Result.fail(new EncodingError(text, `${rule}, none of them empty`))
          }
          const value = decode(part)
          if (Result.isFailure(value)) {
            const found = JSON.stringify(part)
            return Result.fail(
              new EncodingError(text, `${rule}, each ${value.failure.rule}; found ${found}`)
            )
          }
          items.add(value.success)
        }
        return Result.succeed([...items])
      }
    },
    format: (context) => {
      const format = wireForm(item).format(context)
      return (items) => items.map(format).join(",")
    },
    isEscaped: true,
    encoded: () => Schema.String,
    example
  }, {
    item: item as Scalar<unknown>,
    count: (text) => text.split(",").length
  })
