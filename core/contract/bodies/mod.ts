/** The bodies that clients post: their declarations, readers and writers. */
export { jsonDepthMaxDefault } from "./_json_members.ts"
export { type AccountReferences, withReferences } from "./account_references.ts"
export { type Bodies, bodies, type BodyName, requestProperties, transactionDoc } from "./bodies.ts"
export { groupOf } from "./group.ts"
export {
  type Body,
  bodyExamples,
  type BodyField,
  bodyReader,
  type BodyReader,
  bodySchema,
  bodyWriter,
  optional
} from "./body.ts"
