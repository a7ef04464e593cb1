import type { Network } from "../../core/domain/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import type { SignedAuthorization } from "../../core/ports/mod.ts"
import { type ProvenExit, verifyExitProof } from "./inclusion_proof.ts"
import { verifyAuthorization } from "./verifying_authorization.ts"
import { verifyElements } from "./verifying_transaction.ts"

/** What is asked of a worker, as little as can be: it is copied from thread to thread. */
export type Question =
  | {
    readonly publicKey: PublicKey
    readonly elements: ReadonlyArray<bigint>
    readonly signature: string
  }
  | SignedAuthorization
  | ExitQuestion

/** Whether the proof of an exit leads to the exit root of its batch. */
export interface ExitQuestion {
  readonly exit: ProvenExit
  readonly exitRoot: bigint
}

export function answer(question: Question, network: Network): boolean {
  if ("exit" in question) return verifyExitProof(question.exit, question.exitRoot)
  return "elements" in question
    ? verifyElements(question.publicKey, question.elements, question.signature)
    : verifyAuthorization(question, network)
}
