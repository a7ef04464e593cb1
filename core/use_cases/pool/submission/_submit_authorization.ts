import { Clock, Effect } from "effect"
import type { PostedAuthorization } from "../../../domain/mod.ts"
import { authorizationFaults } from "./_posted_rules.ts"
import { isSameAuthorization } from "../_same_transaction.ts"
import type { SubmissionContext } from "./_submission_context.ts"
import { failIfRefused, refusalOf, SubmissionConflict } from "./submission_failures.ts"

/** Validates an authorization and stores it. */
export const submitAuthorization = Effect.fnUntraced(function*(
  { pool, refuse, verifier }: SubmissionContext,
  posted: PostedAuthorization
) {
  const { address, publicKey, signature } = posted
  yield* failIfRefused(authorizationFaults(posted, refuse))
  const conflict = new SubmissionConflict({
    faults: [
      refuse(
        "zkEthereumAddress",
        address,
        "an address without an authorization, or the stored authorization: another one is stored for this address"
      )
    ]
  })
  const known = yield* pool.authorization(address)
  if (known !== null) {
    return isSameAuthorization(known, posted) ? { stored: false } : yield* conflict
  }
  if (!(yield* verifier.authorization(posted))) {
    return yield* refusalOf([
      refuse(
        "signature",
        signature,
        "a valid signature of this authorization by the address, for a key that can sign"
      )
    ])
  }
  const timestampMs = yield* Clock.currentTimeMillis
  const { added, authorization } = yield* pool.addAuthorization({
    address,
    publicKey,
    signature,
    timestampMs
  })
  return added || isSameAuthorization(authorization, posted) ? { stored: added } : yield* conflict
})
