export {
  BlockViolation,
  type Invariant,
  invariantNames,
  violation,
  violationOfBlock,
  violationWithin
} from "./block_violation.ts"
export { misshapen, shapeOf } from "./boundary_decoder.ts"
