import { SchemaAST } from "effect"
import { jsonForm } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"
import type { Shape } from "./object.ts"
import { notNull, type Property, propertiesOf } from "./properties.ts"

type Writer = (value: never) => string

/**
 * Returns the function that writes a value as JSON text. It is compiled for one deployment, once for
 * all values.
 *
 * @example
 * ```ts
 * import { later, wireContext, writerOf } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "hez", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const write = writerOf(later.shapes.authorization, wireContext(network, keccak256))
 * const address = `0x${"2".repeat(40)}`
 * const publicKey = "0".repeat(64)
 * const text = write({ timestampMs: 0, address, publicKey, signature: "0x" })
 * console.log(...Object.keys(JSON.parse(text))) // => timestamp hezEthereumAddress bjj signature
 * ```
 */
export const writerOf = <V>({ schema, view }: Shape<V>, context: WireContext) => {
  const write = compile(schema.ast, context) as (value: unknown) => string
  return (value: V): string => write(view(value))
}

const compile = (ast: SchemaAST.AST, context: WireContext): Writer => {
  const form = jsonForm(ast)
  if (form !== undefined) return form.write(context)
  if (SchemaAST.isUnion(ast)) {
    const write = compile(notNull(ast), context) as (value: unknown) => string
    return (value: unknown) => value === null || value === undefined ? "null" : write(value)
  }
  if (SchemaAST.isArrays(ast)) return arrayWriter(compile(ast.rest[0]!, context))
  const write = objectWriter(propertiesOf(ast), context)
  return SchemaAST.resolve(ast)?.isShared === true ? cachedTexts(write) : write
}

/**
 * Returns a writer that caches the text of each object, since most items of a page have the same
 * token. It buys a fifth of "20 transactions, computed" in `test/bench/RESULTS.md`; without
 * `isShared` on the token it is off.
 */
const cachedTexts = (write: (object: object) => string): Writer => {
  const texts = new WeakMap<object, string>()
  return (object: object) => {
    let text = texts.get(object)
    if (text === undefined) texts.set(object, text = write(object))
    return text
  }
}

const arrayWriter = (write: Writer): Writer => (values: ReadonlyArray<never>) => {
  let text = "["
  for (let i = 0; i < values.length; i++) {
    text += i === 0
      ? write(values[i]!)
      : "," + write(values[i]!)
  }
  return text + "]"
}

const objectWriter = (properties: ReadonlyArray<Property>, context: WireContext) => {
  const entries = properties.map(({ name, path: [key, nested], type, unusedValue }, i) => {
    const write = compile(type, context) as (value: unknown) => string
    return {
      key,
      open: `${i === 0 ? "{" : ","}${JSON.stringify(context.name(name))}:`,
      write: unusedValue !== undefined
        ? () => write(unusedValue)
        : nested === undefined
        ? write
        : (value: unknown) => write(memberOf(value, nested))
    }
  })
  return (object: object): string => {
    let text = ""
    for (const { key, open, write } of entries) text += open + write(memberOf(object, key))
    return text + "}"
  }
}

const memberOf = (object: unknown, key: string): unknown =>
  object === null ? null : (object as { readonly [key: string]: unknown })[key]
