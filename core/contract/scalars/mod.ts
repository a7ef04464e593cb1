/** Every scalar of the contract, and how another one is made. */
export * from "./_boolean_texts.ts"
export * from "./_scalar.ts"
export * from "./scalars.ts"
