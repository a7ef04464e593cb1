/** The bodies that clients post: their declarations, readers and writers. */
export { jsonDepthMaxDefault } from "./_json_members.ts"
export {
  authorizationObject,
  type Bodies,
  bodies,
  type BodyName,
  nestedRequest,
  requested,
  transactionDoc,
  transactionObject
} from "./bodies.ts"
export {
  type AccountReferences,
  type Body,
  bodyExamples,
  bodyReader,
  type BodyReader,
  bodyWriter,
  optional,
  referencesReader,
  unused
} from "./body.ts"
export { groupOf } from "./group.ts"
