export { returnsOneBatch } from "./dependencies.ts"
export {
  type Answer,
  type ReadInterface,
  readInterfaces,
  type ReadOperation,
  type ReadOptions
} from "./read.ts"
export { NotFound, type ReadFailure } from "./read_failures.ts"
