/** Hashing that everything needs, apart from the curves so that a node loads and runs without them. */
export { keccak256 } from "./keccak.ts"
