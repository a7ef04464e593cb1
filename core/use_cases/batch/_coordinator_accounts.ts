import { INTERNAL_ADDRESS } from "../../encoding/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import type { BatchOverlay } from "./_batch_overlay.ts"
import type { BatchInput } from "./batch_transition.ts"

/** Creates the accounts of the coordinator's L1 transactions. It does not verify signatures. */
export function createCoordinatorAccounts(
  overlay: BatchOverlay,
  { l1Coordinator }: BatchInput
): BlockViolation | undefined {
  for (const [position, { address, publicKey, signature, tokenId }] of l1Coordinator.entries()) {
    const pointer = `/l1Coordinator/${position}`
    if (overlay.state.token(tokenId) === undefined) {
      return makeViolation("token-exists", tokenId, "a registered token", `${pointer}/tokenId`)
    }
    const internal = address === INTERNAL_ADDRESS
    if (internal !== (signature === null)) {
      const expected = internal ? "none, since the account is internal" : `one by ${address}`
      return makeViolation("signature", signature, expected, `${pointer}/signature`)
    }
    overlay.create({ tokenId, publicKey, address }, 0n)
  }
  return undefined
}
