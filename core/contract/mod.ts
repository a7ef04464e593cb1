/** The contract: its lists, operations, objects and bodies, in every revision. */
export {
  authorizationObject,
  transactionObject,
  type AccountReferences,
  type Bodies,
  bodies,
  type Body,
  bodyExamples,
  type BodyName,
  bodyReader,
  type BodyReader,
  bodyWriter,
  jsonDepthMaxDefault,
  jsonMembers,
  referencesReader
} from "./bodies/mod.ts"
export * from "./earlier.ts"
export * from "./fault.ts"
export * from "./input_fault.ts"
export * from "./items.ts"
export * from "./later.ts"
export * from "./lists/mod.ts"
export * from "./operation.ts"
export * from "./revision.ts"
export * from "./request/mod.ts"
export * from "./request_rules.ts"
export * from "./revisions.ts"
/**
 * The scalars of the contract: each is the schema of its values in memory, and has its text and its
 * JSON.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { scalar, wireContext, wireForm } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const { format } = wireForm(scalar.publicKey)
 * console.log(format(wireContext(network, keccak256))("0".repeat(64)).length) // => 47
 * console.log(Schema.is(scalar.tokenId)(-1)) // => false
 * ```
 */
export * as scalar from "./scalars/mod.ts"
export {
  booleanTexts,
  type Scalar,
  type ScalarName,
  scalars,
  type ScalarValues,
  type WireForm,
  wireForm
} from "./scalars/mod.ts"
export { componentsOf, type JsonSchema, jsonSchemaOf, wireSchema } from "./objects/mod.ts"
export { propertiesOf, type Shape, shape, writerOf } from "./objects/mod.ts"
export * from "./v1.ts"
export * from "./wire_context.ts"
