/** What needs Node's worker threads; everything else of this folder runs anywhere. */
export { type ExitWorkers, exitWorkers } from "./exit_workers.ts"
export { verifierWorkers, type VerifierWorkersOptions } from "./workers.ts"
