/** Objects of the wire: how they are declared, written, decoded and documented. */
export {
  annotateFields,
  descriptionOf,
  documented,
  named,
  nullable,
  object,
  ofNetwork,
  omit,
  rename,
  type Shape,
  shape,
  shapeOf,
  withFields
} from "./object.ts"
export { notNull, propertiesOf, type Property } from "./properties.ts"
export { componentsOf, type JsonSchema, jsonSchemaOf, wireSchema } from "./schema.ts"
export { writerOf } from "./writer.ts"
