/** A value that JSON can represent. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<JsonValue>
  | { readonly [name: string]: JsonValue }

/**
 * Returns a value of the node as JSON: each bigint as a string of decimal digits, since JSON readers
 * round numbers above 2^53, and objects without the members that are undefined. The objects that a
 * node returns have a method `toJSON` that does this, so `JSON.stringify` accepts them; a copy such
 * as `{ ...account }` does not have it.
 *
 * ```ts
 * import { openNode, toJson } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const { item, snapshotId } = await node.find("token", 0)
 * console.log(snapshotId.ethereumBlockNum) // => 18000000n
 * console.log(JSON.stringify(snapshotId)) // => {"ethereumBlockNum":"18000000","batchNum":null,"version":0}
 * console.log(JSON.stringify(toJson({ ...snapshotId, symbol: item?.symbol }))) // => {"ethereumBlockNum":"18000000","batchNum":null,"version":0,"symbol":"ETH"}
 * await node.close()
 * ```
 */
export const toJson = (value: unknown): JsonValue => {
  if (typeof value === "bigint") return String(value)
  if (typeof value !== "object" || value === null) return value as JsonValue
  if (Array.isArray(value)) return value.map(toJson)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === undefined ? [] : [[name, toJson(member)]]
    )
  )
}

const toJSON: PropertyDescriptor = {
  value(this: object) {
    return toJson(this)
  }
}
const methods: PropertyDescriptorMap = "Bun" in globalThis
  ? {
    toJSON,
    // `console.log` of Bun also shows properties that are not enumerable
    [Symbol.for("nodejs.util.inspect.custom")]: {
      value(this: object) {
        return { ...this }
      }
    }
  }
  : { toJSON }

/**
 * Returns a copy of a value in which each object has the method `toJSON`. The property is not
 * enumerable: `console.log`, comparisons and `structuredClone` ignore it.
 */
export const withToJson = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(withToJson) as A
  const copy = { ...value } as Record<string, unknown>
  for (const name in copy) {
    const member = copy[name]
    if (typeof member === "object" && member !== null) copy[name] = withToJson(member)
  }
  return Object.defineProperties(copy, methods) as A
}
