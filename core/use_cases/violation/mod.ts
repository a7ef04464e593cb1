export {
  BlockViolation,
  type Invariant,
  invariantNames,
  violation,
  violationOfBlock,
  violationWithin
} from "./block_violation.ts"
export { invalidShape, boundaryDecoder } from "./boundary_decoder.ts"
