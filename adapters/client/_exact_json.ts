import { wideNames } from "./generated/mod.ts"

/**
 * Parses JSON without rounding. Integers that the contract allows above 2^53 become bigint,
 * whatever their size; all other numbers stay numbers. The result is frozen. Throws a SyntaxError
 * if the text is not JSON.
 */
export const parseExact = (text: string): unknown =>
  // only a number of 16 digits or more can be above 2^53
  /\d{16}/u.test(text)
    ? exact(JSON.parse(text.replace(tokens, quoteWide)))
    : exact(JSON.parse(text))

/** Strings, so that their content is not changed, and numbers. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/gu
/** No object of the contract has a property of this name. */
const mark = "\u0000integer"
const quoteWide = (token: string): string =>
  token.length > 15 && /^-?\d+$/u.test(token) ? `{${JSON.stringify(mark)}:"${token}"}` : token

const exact = (value: unknown, name?: string): unknown => {
  if (typeof value === "number") {
    return name !== undefined && wideNames.has(name) && Number.isInteger(value)
      ? BigInt(value)
      : value
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = exact(value[i])
    return Object.freeze(value)
  }
  const object = value as { [name: string]: unknown }
  const digits = object[mark]
  if (typeof digits === "string") {
    return name !== undefined && wideNames.has(name) || !Number.isSafeInteger(Number(digits))
      ? BigInt(digits)
      : Number(digits)
  }
  for (const key in object) object[key] = exact(object[key], key)
  return Object.freeze(object)
}

/** Writes a value as JSON; bigints keep all their digits, and undefined properties are left out. */
export const writeExact = (value: unknown): string => {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return `[${value.map(writeExact).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [`${JSON.stringify(name)}:${writeExact(member)}`]
    ).join(",")
  }}`
}
