/** What needs Node's worker threads; everything else of this folder runs anywhere. */
export { verifierWorkers, type VerifierWorkersOptions } from "./workers.ts"
