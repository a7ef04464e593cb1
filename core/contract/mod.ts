export { type Bodies, bodies, type BodyName } from "./bodies.ts"
export { jsonDepthMaxDefault } from "./_json_members.ts"
export {
  type Body,
  bodyExamples,
  type BodyField,
  bodyReader,
  type BodyReader,
  bodySchema,
  bodyWriter
} from "./body.ts"
export type { BodyScalar } from "./body_scalar.ts"
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
export { pathReader } from "./path.ts"
export { pageParameters } from "./page_parameters.ts"
export { listItemsMaxDefault, noQuery, queryReader } from "./query.ts"
export {
  declaration,
  offeredFilters,
  type OfferedFilter,
  parameterName,
  type Revision,
  type Shapes
} from "./revision.ts"
export { type Scalar, scalars } from "./scalar.ts"
export type { Field, Fields, Shape, ShapeDifferences } from "./shape.ts"
export { revise, shape } from "./shape.ts"
export { checkItemKey, checkListQuery } from "./typed_query.ts"
export { type WireContext, wireContext } from "./wire_context.ts"
export type { AnyShape, JsonSchema, WireType } from "./wire_type.ts"
export {
  type WriteOperation,
  type WriteOperationId,
  writeOperationIds,
  writeOperations
} from "./write_operation.ts"
export { programVersion } from "./version.ts"
