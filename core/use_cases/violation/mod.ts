export {
  BlockViolation,
  type Invariant,
  invariantNames,
  makeViolation,
  violationOfBlock,
  violationWithin
} from "./block_violation.ts"
export { boundaryDecoder, invalidShape } from "./boundary_decoder.ts"
