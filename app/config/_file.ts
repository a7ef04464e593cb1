import { Result } from "effect"
import * as Toml from "effect/encoding/Toml"
import { readFileSync } from "node:fs"
import { type Problem, quoted, unknownName } from "./problem.ts"

/** A value of the file and its line. */
export interface Entry {
  readonly value: unknown
  readonly source: string
}

/** The values of a configuration file by key, such as `server.port`. */
export interface ConfigFile {
  readonly entries: ReadonlyMap<string, Entry>
  readonly problems: ReadonlyArray<Problem>
}

/** Returns a file without values, with problems. */
export const withoutValues = (...problems: ReadonlyArray<Problem>): ConfigFile => ({
  entries: new Map(),
  problems
})

/** Reads a TOML file. Reports unknown keys as problems. */
export const readConfigFile = (
  path: string,
  source: string,
  known: ReadonlySet<string>
): ConfigFile => {
  let content: string
  try {
    // not with Effect's FileSystem, which is asynchronous: options are read before a runtime starts
    content = readFileSync(path, "utf8")
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT"
    const reason = isMissing ? "it does not exist" : String(error)
    const message = `The file ${quoted(path)} cannot be read: ${reason}; name a TOML file`
    return withoutValues({ source, message })
  }
  return readConfig(content, path, known)
}

/** Parses the content of a TOML file; the name appears in problems. */
const readConfig = (content: string, name: string, known: ReadonlySet<string>): ConfigFile => {
  const parsed = Toml.parse(content)
  if (Result.isFailure(parsed)) {
    const [, message = parsed.failure.message, line] =
      /^(.*?)(?: at line (\d+), column \d+)?$/su.exec(parsed.failure.message) ?? []
    return withoutValues({
      source: line === undefined ? name : `${name}, line ${line}`,
      message: `The file is not TOML: ${message}; correct it`
    })
  }
  const lines = keyLines(content)
  const entries = new Map<string, Entry>()
  const problems: Array<Problem> = []
  for (const [key, value] of leaves(parsed.success, [])) {
    const source = `${name}, line ${lineOf(lines, key)}`
    if (known.has(key)) entries.set(key, { value, source })
    else if (value !== emptyTable || ![...known].some((each) => each.startsWith(`${key}.`))) {
      problems.push(unknownKey(source, key, known))
    }
  }
  return { entries, problems }
}

const unknownKey = (source: string, key: string, known: ReadonlySet<string>): Problem => {
  const namesInTable = [...known].filter((each) => each.startsWith(`${key}.`)).map((each) =>
    each.slice(key.length + 1)
  )
  return namesInTable.length > 0
    ? { source, message: `${key} is a table: expected [${key}] with ${namesInTable.join(", ")}` }
    : unknownName(
      source,
      `The key ${key}`,
      key,
      [...known],
      "rollup-node config print lists all"
    )
}

/**
 * Yields each value with its key. Yields an empty table too, so that a misspelt name is reported.
 */
function* leaves(
  table: object,
  path: ReadonlyArray<string>
): Generator<readonly [string, unknown]> {
  for (const [name, value] of Object.entries(table)) {
    const key = [...path, name]
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value) &&
      !(value instanceof Date)
    if (isTable && Object.keys(value).length > 0) yield* leaves(value, key)
    else yield [key.join("."), isTable ? emptyTable : value]
  }
}

/** Stands for an empty table. */
const emptyTable = Symbol("empty table")

/** Returns the first line of each key and table, which the parser does not report. */
const keyLines = (content: string): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  let table: ReadonlyArray<string> = []
  const addLine = (path: ReadonlyArray<string>, line: number) => {
    const key = path.join(".")
    if (!lines.has(key)) lines.set(key, line)
  }
  content.split(/\r?\n/u).forEach((text, index) => {
    const header = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/u.exec(text)
    const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/u.exec(
      text
    )
    if (header !== null) addLine(table = parts(header[1]!), index + 1)
    else if (key !== null) addLine([...table, ...parts(key[1]!)], index + 1)
  })
  return lines
}

const parts = (key: string): ReadonlyArray<string> =>
  key.split(".").map((part) => part.trim().replace(/^(["'])(.*)\1$/u, "$2"))

/** Returns the line of a key, or of its table if that is inline. */
const lineOf = (lines: ReadonlyMap<string, number>, key: string): number => {
  const line = lines.get(key)
  return line ?? (key.includes(".") ? lineOf(lines, key.slice(0, key.lastIndexOf("."))) : 1)
}
