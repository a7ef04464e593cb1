export { returnsOneBatch } from "./dependencies.ts"
export {
  type Answer,
  NotFound,
  type ReadFailure,
  type ReadInterface,
  readInterfaces,
  type ReadOperation,
  type ReadOptions
} from "./read.ts"
