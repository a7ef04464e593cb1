/** The contract: its lists, operations, objects and bodies, in every revision. */
export {
  type AccountReferences,
  type Bodies,
  bodies,
  type Body,
  bodyExamples,
  type BodyField,
  type BodyName,
  bodyReader,
  type BodyReader,
  bodySchema,
  bodyWriter,
  jsonDepthMaxDefault,
  withReferences
} from "./bodies/mod.ts"
export { earlier } from "./earlier.ts"
export {
  brokenBody,
  brokenRule,
  cut,
  faultOfItem,
  invalidValue,
  jsonPointer,
  nearestName
} from "./fault.ts"
export { BadInput, InputFault } from "./input_fault.ts"
export type {
  ItemKeys,
  ItemName,
  Items,
  ListItems,
  ListRows,
  PageCounts,
  PageView
} from "./items.ts"
export { later } from "./later.ts"
export * from "./lists/mod.ts"
export {
  type AnyWriteOperationId,
  type CurrencyOperation,
  type ItemOperation,
  type ListOperation,
  type Operation,
  type OperationId,
  operationIds,
  operations,
  type PathParameter,
  type ReadOperationId,
  type RevisedOperation,
  type WriteOperation
} from "./operation.ts"
export { answerShape, pageShape } from "./page.ts"
export {
  type AnyListName,
  declaration,
  offeredFilters,
  parameterName,
  readOperationsOf,
  type Revision,
  writeOperationsOf
} from "./revision.ts"
export type { Shapes } from "./revision_shapes.ts"
export {
  checkItemKey,
  checkListQuery,
  listItemsMaxDefault,
  noQuery,
  pageParameters,
  pathReader,
  parameterValue,
  queryReader
} from "./request/mod.ts"
export { publishedRules, type RequestRules, strictRules } from "./request_rules.ts"
export { revisionList, type RevisionName, revisions } from "./revisions.ts"
/**
 * The scalars of the contract: each has its values in memory, its text and its JSON.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { scalar, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "zk", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const text = scalar.tokenId.text(wireContext(network, keccak256))
 * console.log(Schema.decodeSync(text)("7"), Schema.is(scalar.tokenId.domain)(-1)) // => 7 false
 * ```
 */
export * as scalar from "./scalars/mod.ts"
export {
  booleanTexts,
  type Scalar,
  type ScalarName,
  scalars,
  type ScalarValues
} from "./scalars/mod.ts"
export {
  type Field,
  type Fields,
  type Shape,
  revise,
  shape,
  type AnyShape,
  type JsonSchema,
  type WireType
} from "./wire_type.ts"
export { v1 } from "./v1.ts"
export { programVersion, type WireContext, wireContext } from "./wire_context.ts"
