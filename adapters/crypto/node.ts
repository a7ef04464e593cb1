/** The exports that need Node's worker threads; everything in `mod.ts` runs on any platform. */
export { exitTreeWorkers } from "./exit_tree_workers.ts"
export { verifierWorkers, type VerifierWorkersOptions } from "./verifier_workers.ts"
