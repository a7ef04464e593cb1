/** The contract: its lists, operations, objects and bodies, in every revision. */
export {
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
  jsonDepthMaxDefault
} from "./bodies/mod.ts"
export { earlier } from "./earlier.ts"
export {
  BadInput,
  brokenBody,
  brokenRule,
  InputFault,
  invalidValue,
  jsonPointer,
  nearestName
} from "./fault.ts"
export type { ItemKeys, ItemName, Items, ListItems, PageCounts } from "./items.ts"
export { later } from "./later.ts"
export * from "./list.ts"
export {
  type ItemOperation,
  type ListOperation,
  type Operation,
  type OperationId,
  operationIds,
  operations,
  type PathParameter
} from "./operation.ts"
export { pageShape, type PageView } from "./page.ts"
export {
  checkItemKey,
  checkListQuery,
  listItemsMaxDefault,
  noQuery,
  pageParameters,
  pathReader,
  queryReader
} from "./request/mod.ts"
export {
  declaration,
  offeredFilters,
  type OfferedFilter,
  parameterName,
  type Revision,
  type Shapes
} from "./revision.ts"
export { revisionList, type RevisionName, revisions } from "./revisions.ts"
export { type Scalar, type ScalarName, scalars, type ScalarValues } from "./scalars/mod.ts"
export type { Field, Fields, Shape, ShapeDifferences } from "./shape.ts"
export { revise, shape } from "./shape.ts"
export { programVersion, type WireContext, wireContext } from "./wire_context.ts"
export type { AnyShape, JsonSchema, WireType } from "./wire_type.ts"
export {
  type WriteOperation,
  type WriteOperationId,
  writeOperationIds,
  writeOperations
} from "./write_operation.ts"
