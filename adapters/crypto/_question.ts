import type { Network } from "../../core/domain/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import type { SignedAuthorization } from "../../core/ports/mod.ts"
import { verifyAuthorization } from "./verifying_authorization.ts"
import { verifyElements } from "./verifying_transaction.ts"

/** What is asked of a worker, as little as can be: it is copied from thread to thread. */
export type Question =
  | { readonly publicKey: PublicKey; readonly elements: ReadonlyArray<bigint>; readonly signature: string }
  | SignedAuthorization

export function answer(question: Question, network: Network): boolean {
  return "elements" in question
    ? verifyElements(question.publicKey, question.elements, question.signature)
    : verifyAuthorization(question, network)
}
