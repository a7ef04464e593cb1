/** Every scalar of the contract, and how another one is made. */
export { integer, oneOf, type Scalar } from "./_scalar.ts"
export * from "./scalars.ts"
