import { Effect, Schema } from "effect"
import { values } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import { documented, writerOf } from "../objects/mod.ts"
import type { Scalar } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"

/** A request body: an object of the wire that a client posts. */
export interface Body<out T> {
  /** The values in memory of the object, which decodes to them. */
  readonly schema: BodySchema & { readonly Type: T }
  /** Properties that clients may know from elsewhere, and why they are refused. */
  readonly notes: { readonly [name: string]: string }
  /** Examples for the default network, by name. */
  readonly examples: { readonly [title: string]: BodyExample }
}
/** The struct of a body. */
export type BodySchema = Schema.Codec<unknown, unknown> & { readonly fields: Schema.Struct.Fields }

interface BodyExample {
  readonly [name: string]: string | number | null | ReadonlyArray<BodyExample>
}

/** Returns a property that is null if it is null or absent. */
export const optional = <T, E>(schema: Schema.Codec<T, E>, description: string) =>
  documented(
    Schema.NullOr(schema).annotate({ expected: values.ruleOf(schema) }).pipe(
      Schema.withDecodingDefault(Effect.succeed(null))
    ),
    description
  )

/** Returns a property that is checked when it is read, and written with the same value always. */
export const unused = <T>(scalar: Scalar<T>, description: string, unusedValue: T | null = null) =>
  optional(scalar, description).pipe(Schema.annotateKey({ description, unusedValue }))

/**
 * Returns a function that writes a posted value as the JSON of a request body, with the names of
 * this network. `bodyReader` decodes it to the same value.
 *
 * @param symbol the symbol of the token of the accounts, or a function that returns that of an
 * account: revisions `later` and `earlier` refuse another one
 *
 * @example
 * ```ts
 * import { bodies, bodyWriter, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const write = bodyWriter(bodies.authorization, wireContext(network, keccak256))
 * const address = `0x${"2".repeat(40)}`
 * const text = write({ address, publicKey: "0".repeat(64), signature: `0x${"3".repeat(130)}` })
 * console.log(...Object.keys(JSON.parse(text))) // => zkEthereumAddress bjj signature
 * ```
 */
export const bodyWriter = <T>(
  { schema }: Body<T>,
  context: WireContext,
  symbol: string | ((index: AccountIndex) => string) = "TOKEN"
): (posted: T) => string => {
  const symbolOf = typeof symbol === "string" ? () => symbol : symbol
  return writerOf({ schema, view: (posted: T) => posted }, {
    ...context,
    accountIndex: (_, index) => context.accountIndex(symbolOf(index), index)
  })
}

/** Returns the examples of a body in the spelling of this network. */
export const bodyExamples = <T>(
  { examples }: Body<T>,
  { name: local, network }: WireContext
): Body<T>["examples"] => {
  const localExample = (example: BodyExample): BodyExample =>
    Object.fromEntries(
      Object.entries(example).map(([name, value]) => [
        local(name),
        typeof value === "string"
          ? value.replace(/^zk:/u, `${network.prefix}:`)
          : typeof value === "object" && value !== null
          ? value.map(localExample)
          : value
      ])
    )
  return Object.fromEntries(
    Object.entries(examples).map(([title, example]) => [title, localExample(example)])
  )
}
