/** Every scalar of the contract, and how another one is made. */
export { booleanTexts } from "./_boolean_texts.ts"
export {
  integer,
  type JsonForm,
  jsonForm,
  oneOf,
  type Scalar,
  type Spelling,
  type WireForm,
  wireForm
} from "./_scalar.ts"
export * from "./scalars.ts"
