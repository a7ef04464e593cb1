/** Every scalar of the contract, and how another one is made. */
export { booleanTexts, integer, oneOf } from "./_scalar.ts"
export * from "./scalars.ts"
export * from "./wire_form.ts"
