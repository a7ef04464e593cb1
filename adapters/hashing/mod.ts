/** Keccak-256 without the curves of `adapters/crypto`, which a node can start without. */
export { keccak256 } from "./keccak.ts"
