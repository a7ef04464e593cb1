import { INTERNAL_ADDRESS } from "../../encoding/mod.ts"
import { type BlockViolation, violation } from "../violation/mod.ts"
import type { BatchOverlay } from "./_batch_overlay.ts"
import type { BatchInput } from "./batch_transition.ts"

/** Creates the accounts that the coordinator adds. It does not verify their signatures. */
export function createCoordinatorAccounts(
  overlay: BatchOverlay,
  { l1Coordinator }: BatchInput
): BlockViolation | undefined {
  for (const [position, { address, publicKey, signature, tokenId }] of l1Coordinator.entries()) {
    const place = `/l1Coordinator/${position}`
    if (overlay.state.token(tokenId) === undefined) {
      return violation("token-exists", tokenId, "a registered token", `${place}/tokenId`)
    }
    const internal = address === INTERNAL_ADDRESS
    if (internal !== (signature === null)) {
      const expected = internal ? "none, since the account is internal" : `one by ${address}`
      return violation("signature", signature, expected, `${place}/signature`)
    }
    overlay.create({ tokenId, publicKey, address }, 0n)
  }
  return undefined
}
