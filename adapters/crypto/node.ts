/** The exports that need Node's worker threads; everything in `mod.ts` runs on any platform. */
export { type ExitProofWorkers, exitProofWorkers } from "./exit_proof_workers.ts"
export { verifierWorkers, type VerifierWorkersOptions } from "./verifier_workers.ts"
