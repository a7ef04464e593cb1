export { hasBit254 } from "./_batches.ts"
export { Observer } from "./observer.ts"
