import { Result } from "effect"
import { poolStates, poolTransactionTypes, transactionTypes, values } from "../../domain/mod.ts"
import { booleanTexts, oneOf, parser, scalar } from "./_scalar.ts"
import type { Scalar } from "./wire_form.ts"

export const text: Scalar<string> = scalar({
  domain: values.text,
  parse: () => Result.succeed,
  isEscaped: true
})
export const filledText: Scalar<string> = scalar({
  domain: values.filledText,
  parse: () => parser("a text that is not empty", (text) => text === "" ? undefined : text),
  isEscaped: true
})
export const url: Scalar<string> = scalar({
  domain: values.text,
  parse: () => Result.succeed,
  isEscaped: true,
  description: "URL of the coordinator",
  example: "https://coordinator.example"
})

export const baseCurrency = oneOf(["USD"], { description: "The currency of all prices" })
export const currencyCode: Scalar<string> = scalar({
  domain: values.currencyCode,
  parse: () =>
    parser(
      values.ruleOf(values.currencyCode),
      (text) => /^[A-Z]{3}$/u.test(text) ? text : undefined
    ),
  description: "Code of a currency by ISO 4217",
  example: "EUR"
})

export const transactionType = oneOf(transactionTypes, { description: "Type of transaction" })
export const poolTransactionType = oneOf(poolTransactionTypes, {
  description: "Type of L2 transaction"
})
export const poolState = oneOf(poolStates, {
  description: "pend: pending, fing: forging, fged: forged, invl: invalid"
})
export const healthStatus = oneOf(["UP", "DOWN"])
export const layer = oneOf(["L1", "L2"])

export const boolean: Scalar<boolean> = scalar({
  json: "boolean",
  domain: values.boolean,
  parse: (_, spelling = "canonical") => {
    const { rule, values } = booleanTexts[spelling]
    return parser(rule, (text) => values.get(text))
  }
})
