import { Formatter, Result, Schema, SchemaAST, SchemaIssue } from "effect"
import { hintOf, jsonPointer } from "../fault.ts"

/** A rule that an input violates. */
export interface Violation {
  /**
   * JSON pointer (RFC 6901) into the argument, such as `/filters/tokenId`; into all arguments by
   * name, such as `/ids/0`, if the method takes several; empty for the argument itself.
   */
  readonly path: string
  /** The value as text; null if it is missing. */
  readonly value: string | null
  readonly rule: string
  readonly message: string
}

/** Returns a JSON pointer to the value at these keys of an input. */
const pointerTo = (root: string) => (keys: ReadonlyArray<PropertyKey>): string =>
  root + keys.map((key) => jsonPointer(String(key))).join("")

/**
 * Returns a copy of an input, or everything in it that its schema does not allow.
 *
 * @param title names the input in messages
 * @param pathOf returns the path of the value at these keys; a JSON pointer by default
 */
export const decodeAll = <T, E>(
  schema: Schema.Codec<T, E>,
  input: unknown,
  title: string,
  pathOf: (keys: ReadonlyArray<PropertyKey>) => string = pointerTo("")
): Result.Result<T, ReadonlyArray<Violation>> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, parseOptions)(input),
    (error) => violationsOf(schema, error, input, title, pathOf)
  )

/** Returns everything in an input that its schema does not allow. */
export const findViolations = (
  schema: Schema.Constraint & { readonly "Type": unknown },
  input: unknown,
  title: string,
  root = ""
): ReadonlyArray<Violation> =>
  Result.match(
    decodeAll(Schema.toType(schema as Schema.Codec<unknown>), input, title, pointerTo(root)),
    { onFailure: (violations) => violations, onSuccess: () => [] }
  )

/** Returns a member that may be absent or undefined; its rule is that of the value. */
export const optional = <T>(schema: Schema.Codec<T>) =>
  Schema.optionalKey(Schema.UndefinedOr(schema).annotate({ expected: ruleOf(schema.ast) }))

/** Maximum depth of the objects in a value that a message repeats. */
const shownDepthMax = 2
const omitted = { toString: () => "…" }

/**
 * Returns at most 200 characters of a value for a message. It does not read the depths of a value: a
 * revision, for example, holds its schemas.
 */
export const shownValue = (value: unknown): string =>
  Formatter.format(upToDepth(value, shownDepthMax)).slice(0, 200)

const upToDepth = (value: unknown, depth: number): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    return depth === 0 ? omitted : value.slice(0, 200).map((item) => upToDepth(item, depth - 1))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return depth === 0
    ? omitted
    : Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, upToDepth(member, depth - 1)])
    )
}

const parseOptions = { errors: "all", onExcessProperty: "error" } as const

const [missing, unknown, otherType] = ["missing", "unknown", "type"]
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "MissingKey":
        return missing
      case "UnexpectedKey":
        return unknown
      case "InvalidType":
        return otherType
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

const violationsOf = (
  schema: Schema.Constraint,
  { issue }: Schema.SchemaError,
  input: unknown,
  title: string,
  pathOf: (keys: ReadonlyArray<PropertyKey>) => string
): ReadonlyArray<Violation> =>
  issuesOf(issue).issues.map(({ message, path: segments = [] }): Violation => {
    const keys = segments.map((segment) => typeof segment === "object" ? segment.key : segment)
    const path = pathOf(keys)
    const found = keys.reduce((parent: unknown, key) => Reflect.get(Object(parent), key), input)
    const isAbsent = message === missing || found === undefined
    const subject = path === "" ? title : path
    const value = isAbsent ? null : shownValue(found)
    if (message === unknown) {
      const rule = "a known name"
      const known = namesAt(schema.ast, keys.slice(0, -1))
      const { hint } = hintOf(String(keys.at(-1)), known)
      return { path, value, rule, message: `Unknown name ${path}: ${hint}` }
    }
    const rule = message === missing || message === otherType
      ? ruleOf(astAt(schema.ast, keys))
      : message.replace(/^Expected /u, "")
    return {
      path,
      value,
      rule,
      message: isAbsent
        ? `${subject} is missing: expected ${rule}`
        : `${subject} has the invalid value ${value}: expected ${rule}`
    }
  })

/** Returns the schema of a value without the null and undefined that it may also be. */
const present = (ast: SchemaAST.AST): SchemaAST.AST =>
  ast._tag === "Union"
    ? present(
      ast.types.find(({ _tag }) => _tag !== "Null" && _tag !== "Undefined") ?? ast.types[0]!
    )
    : ast._tag === "Suspend"
    ? present(ast.thunk())
    : ast

const astAt = (ast: SchemaAST.AST, [key, ...keys]: ReadonlyArray<PropertyKey>): SchemaAST.AST => {
  if (key === undefined) return ast
  const parent = present(ast)
  const inner = parent._tag === "Objects"
    ? parent.propertySignatures.find(({ name }) => name === key)?.type ??
      parent.indexSignatures[0]?.type
    : parent._tag === "Arrays"
    ? parent.elements[Number(key)] ?? parent.rest[0]
    : undefined
  return inner === undefined ? parent : astAt(inner, keys)
}

const namesAt = (
  ast: SchemaAST.AST,
  keys: ReadonlyArray<PropertyKey>
): ReadonlyArray<string> => {
  const parent = present(astAt(ast, keys))
  return parent._tag === "Objects"
    ? parent.propertySignatures.map(({ name }) => String(name))
    : []
}

/** Returns the rule of a schema in words. */
function ruleOf(schema: SchemaAST.AST): string {
  const ast = present(schema)
  const expected = SchemaAST.resolve(schema)?.expected ?? SchemaAST.resolve(ast)?.expected
  if (typeof expected === "string") {
    return ast._tag === "BigInt" ? `${expected} as a bigint` : expected
  }
  switch (ast._tag) {
    case "Objects":
      return `an object of ${namesAt(ast, []).join(", ")}`
    case "Arrays":
      return "an array"
    case "Boolean":
      return "true or false"
    case "String":
      return "a text"
    default:
      return "a value of the documented type"
  }
}
