/** Every scalar of the contract, and how another one is made. */
export { bigInteger, integer, type Scalar, scalar, type ValueOf } from "./_scalar.ts"
export * from "./scalars.ts"
