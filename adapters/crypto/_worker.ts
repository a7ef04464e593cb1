import { parentPort, workerData } from "node:worker_threads"
import type { Network } from "../../core/domain/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import type { SignedAuthorization } from "../../core/ports/mod.ts"
import { verifyAuthorization } from "./authorization_signature.ts"
import type { ExitLeaf, ExitTree } from "../../core/use_cases/mod.ts"
import { exitTree } from "./exit_tree.ts"
import { verifyElements } from "./transaction_signature.ts"

/*
 * The entry point of a worker thread; other files import only its types. The thread receives arrays
 * of requests and replies to each with an array of results in the same order.
 */

/** A verification. Contains only the fields that it needs, since messages are copied. */
export type VerificationRequest =
  | {
    readonly publicKey: PublicKey
    readonly elements: ReadonlyArray<bigint>
    readonly signature: string
  }
  | SignedAuthorization

/** The exit tree of a batch. */
export interface ExitTreeRequest {
  readonly leaves: ReadonlyArray<ExitLeaf>
}

type Request = VerificationRequest | ExitTreeRequest

const network = workerData as Network

function resultOf(request: Request): boolean | ExitTree {
  if ("leaves" in request) return exitTree(request.leaves)
  return "elements" in request
    ? verifyElements(request.publicKey, request.elements, request.signature)
    : verifyAuthorization(request, network)
}

parentPort?.on("message", (requests: ReadonlyArray<Request>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(requests.map(resultOf))
})
