import { type Result, type Schema, SchemaAST } from "effect"
import type { EncodingError } from "../../encoding/mod.ts"
import type { InputFault } from "../input_fault.ts"
import type { WireContext } from "../wire_context.ts"

/**
 * A single value of the contract: the schema of its values in memory, annotated with its form on the
 * wire. Everything that reads, writes or documents the value derives from it.
 */
export type Scalar<T> = Schema.Codec<T>

/** The JSON of values in answers. */
export interface JsonForm<T> {
  /** Returns the function that writes a value as JSON. */
  readonly write: (context: WireContext) => (value: T) => string
  /**
   * Returns the schema that decodes the JSON of this deployment and encodes it again. Integers of
   * the JSON above 2^53 are bigint.
   *
   * @param description replaces that of the scalar
   */
  readonly codec: (context: WireContext, description?: string) => Schema.Codec<unknown, unknown>
}

/** How the values of a scalar are spelled in paths, queries, bodies and answers. */
export interface WireForm<T> extends JsonForm<T> {
  /** JSON type of the value in bodies and answers. */
  readonly json: "string" | "number" | "boolean"
  /** Returns the decoder of the texts of this deployment: it returns the value, or the broken rule. */
  readonly decode: (
    context: WireContext,
    spelling?: Spelling
  ) => (text: string) => Result.Result<T, Pick<EncodingError, "rule">>
  /** Returns the function that writes a value as text. */
  readonly format: (context: WireContext) => (value: T) => string
  /** The scalar of the items, if the value is a list. */
  readonly item?: Scalar<unknown>
  /** Returns the number of items in a text, if the value is a list. */
  readonly count?: (text: string) => number
}

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      readonly jsonForm?: JsonForm<never> | undefined
      /** Name of a property on the wire, if it differs from the one in memory. */
      readonly wireName?: string | undefined
      /**
       * The JSON of an object has the fields of this property itself: their names begin with the
       * prefix.
       */
      readonly nestedPrefix?: string | undefined
      /** The rule that an invalid property breaks, if a revision has an error code for it. */
      readonly ruleName?: InputFault["ruleName"] | undefined
      /** The value of a property that is checked in a request and has no other use. */
      readonly unusedValue?: unknown
      /** The rule of a property that must be null or absent in a request. */
      readonly onlyNull?: string | undefined
      /** Whether the same object, which never changes, is in many answers. */
      readonly isShared?: boolean | undefined
      /** Maximum number of items of an array in a request. */
      readonly itemsMax?: number | undefined
    }
  }
}

/**
 * Returns the form of a scalar on the wire. Throws if the schema is no scalar of the contract.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { scalar, wireContext, wireForm } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const decode = wireForm(scalar.tokenId).decode(wireContext(network, keccak256))
 * console.log(Result.getOrThrow(decode("7")), Result.isFailure(decode("-1"))) // => 7 true
 * ```
 */
export const wireForm = <T>(scalar: Scalar<T>): WireForm<T> => {
  const form = jsonForm(scalar.ast)
  if (form === undefined) throw new Error("The schema is no scalar of the contract")
  return form as WireForm<T>
}

/** Returns the JSON of a value that is written as a whole; undefined for objects, arrays and null. */
export const jsonForm = (ast: SchemaAST.AST): JsonForm<never> | undefined =>
  SchemaAST.resolve(ast)?.jsonForm

/**
 * The texts that a decoder accepts. A canonical number has no leading zeros, and a canonical boolean
 * is `true` or `false`. A lenient number may have leading zeros, a lenient boolean is one of those of
 * `strconv.ParseBool` of Go, and a lenient id of a transaction may lack `0x`. In both a number has no
 * sign.
 */
export type Spelling = "canonical" | "lenient"

/** The value in memory of a scalar. */
export type ValueOf<S> = S extends Scalar<infer T> ? T : never
