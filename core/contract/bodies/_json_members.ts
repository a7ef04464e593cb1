import { Result } from "effect"
import { brokenBody, hintOf } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"

/** The type of a JSON value. */
export type JsonKind = "string" | "number" | "boolean" | "null" | "object" | "array"

/**
 * One member of a JSON object. `text` is the decoded content of a string and the source text of any
 * other value, so that no number is rounded.
 */
export interface JsonMember {
  readonly name: string
  readonly kind: JsonKind
  readonly text: string
}

/** The position of a syntax error, and what was expected there. */
interface JsonFault {
  /** Number of characters before the error. */
  readonly position: number
  readonly expected: string
  readonly isTooDeep?: true
}

/** Default maximum depth of nested objects and arrays. */
export const jsonDepthMaxDefault = 32

/**
 * Returns the members of a JSON object (RFC 8259) in order, including repeated ones. Nested values
 * are checked for syntax and not parsed. No number is converted to a double.
 */
export const jsonMembers = (
  text: string,
  depthMax = jsonDepthMaxDefault
): Result.Result<ReadonlyArray<JsonMember>, JsonFault> => {
  const scanner = new Scanner(text, depthMax)
  const members: Array<JsonMember> = []
  scanner.blank()
  const read = text[scanner.at] === "{"
    ? scanner.object(1, (name, kind, value) => members.push({ name, kind, text: value }))
    : scanner.fail(text.charCodeAt(0) === byteOrderMark ? "no byte order mark" : "an object: {")
  if (read) scanner.blank()
  if (read && scanner.at < text.length) scanner.fail("nothing after the object")
  return scanner.fault === undefined ? Result.succeed(members) : Result.fail(scanner.fault)
}

/** Returns the items of a JSON array. Its syntax must have been checked. */
export const jsonItems = (text: string): ReadonlyArray<Omit<JsonMember, "name">> => {
  const items: Array<Omit<JsonMember, "name">> = []
  new Scanner(text, Infinity).array(1, (kind, item) => items.push({ kind, text: item }))
  return items
}

const byteOrderMark = 0xfeff
const blanks = /[ \t\n\r]*/uy
const strings =
  /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"/uy
const numbers = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/uy
const words = /true|false|null/uy

/** Scans one text from the start; stops at the first fault. */
class Scanner {
  at = 0
  fault: JsonFault | undefined
  private readonly text: string
  private readonly depthMax: number

  constructor(text: string, depthMax: number) {
    this.text = text
    this.depthMax = depthMax
  }

  fail(expected: string, more: Pick<JsonFault, "isTooDeep"> = {}): false {
    this.fault ??= { position: this.at, expected, ...more }
    return false
  }

  blank(): void {
    this.take(blanks)
  }

  object(depth: number, found?: (name: string, kind: JsonKind, text: string) => void): boolean {
    return this.sequence("}", depth, () => {
      const name = this.take(strings)
      if (name === undefined) return this.fail("the name of a member, in double quotes")
      this.blank()
      if (this.text[this.at] !== ":") return this.fail("a colon after the name")
      this.at++
      this.blank()
      return this.item(depth, found && ((kind, text) => found(content(name), kind, text)))
    })
  }

  array(depth: number, found?: (kind: JsonKind, text: string) => void): boolean {
    return this.sequence("]", depth, () => this.item(depth, found))
  }

  private item(depth: number, found?: (kind: JsonKind, text: string) => void): boolean {
    const start = this.at
    const kind = this.value(depth)
    if (kind === undefined) return false
    const text = this.text.slice(start, this.at)
    found?.(kind, kind === "string" ? content(text) : text)
    return true
  }

  /** Returns undefined if there is no value. */
  private value(depth: number): JsonKind | undefined {
    switch (this.text[this.at]) {
      case "{":
        return this.object(depth + 1) ? "object" : undefined
      case "[":
        return this.array(depth + 1) ? "array" : undefined
      case '"':
        if (this.take(strings) !== undefined) return "string"
        this.fail("a string that ends, without control characters and with known escapes")
        return undefined
      default: {
        if (this.take(numbers) !== undefined) return "number"
        const word = this.take(words)
        if (word === undefined) this.fail("a value")
        return word === undefined ? undefined : word === "null" ? "null" : "boolean"
      }
    }
  }

  /** Scans a list between brackets, separated by commas; starts at the opening bracket. */
  private sequence(end: string, depth: number, item: () => boolean): boolean {
    if (depth > this.depthMax) {
      return this.fail(`at most ${this.depthMax} levels of nesting`, { isTooDeep: true })
    }
    this.at++
    this.blank()
    for (let first = true; this.text[this.at] !== end || !first; first = false) {
      if (!item()) return false
      this.blank()
      if (this.text[this.at] === end) break
      if (this.text[this.at] !== ",") return this.fail(`a comma or ${end}`)
      this.at++
      this.blank()
    }
    this.at++
    return true
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }
}

/** Returns the decoded content of a quoted string. */
const content = (quoted: string): string =>
  quoted.includes("\\") ? JSON.parse(quoted) as string : quoted.slice(1, -1)

/**
 * Maximum number of unknown properties with a fault of their own: each is compared with all known
 * ones.
 */
const explainedMax = 64

const rule = "a known property"

/**
 * Returns a function that explains unknown properties of a body.
 *
 * @param notes explanations of names that clients may know from elsewhere
 */
export const unknownProperties = (
  known: ReadonlyArray<string>,
  notes: ReadonlyMap<string, string>
) => {
  const names = new Set(known)
  return (members: Iterable<JsonMember>): ReadonlyArray<InputFault> => {
    const faults: Array<InputFault> = []
    let omitted = 0
    for (const { name, text } of members) {
      if (names.has(name)) continue
      if (faults.length < explainedMax) faults.push(explain(name, text))
      else omitted++
    }
    if (omitted > 0) {
      faults.push(brokenBody(null, null, rule, `${omitted} more properties are unknown`))
    }
    return faults
  }

  function explain(name: string, text: string): InputFault {
    const note = notes.get(name)
    const { hint, ...nearest } = note === undefined ? hintOf(name, known) : { hint: note }
    const message = `Unknown property ${JSON.stringify(name.slice(0, 100))}: ${hint}`
    return { ...brokenBody(name, text, rule, message), ...nearest }
  }
}
