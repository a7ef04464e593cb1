import { Result } from "effect"
import { EMPTY_PUBLIC_KEY, INTERNAL_ADDRESS, l2TransactionId } from "../../../core/encoding/mod.ts"
import type { PostedAuthorization, PostedTransaction } from "../../../core/domain/mod.ts"
import { rememberedKeccak256 } from "../../crypto/remembered.ts"
import type { SeededRandom } from "../../laws/_seeded_random.ts"
import type { Facts } from "../../laws/mod.ts"
import { PEOPLE, personOf } from "./accounts.ts"

/** The signature that the verifier of the simulation refuses. */
export const wrongSignature = "f".repeat(128)

/** An account that no network of the simulation has. */
const unknownIndex = 9999

/** Returns a random transaction of a wallet; most are valid as far as the wallet knows. */
export function drawTransaction(random: SeededRandom, facts: Facts): PostedTransaction {
  // no wallet has key 0
  const sender = random.of(
    facts.accounts.filter(({ publicKey }) => publicKey !== EMPTY_PUBLIC_KEY)
  )
  const nonce = sender.nonce + BigInt(random.below(3)) -
    (sender.nonce > 0n && random.chance(0.06) ? 1n : 0n)
  const amount = BigInt(1 + random.below(30)) * 10n ** BigInt(6 + random.below(3))
  const spelt = {
    tokenId: sender.tokenId,
    fromAccountIndex: sender.index,
    amount,
    fee: 100 + random.below(50),
    nonce
  }
  const id = Result.getOrThrow(l2TransactionId(spelt, rememberedKeccak256))
  return {
    ...spelt,
    id,
    ...destinationOf(random, facts, sender.tokenId),
    signature: random.chance(0.03) ? wrongSignature : String(random.below(9)).repeat(128),
    request: null
  }
}

type Destination = Pick<PostedTransaction, "type" | "toAccountIndex" | "toAddress" | "toPublicKey">

export function destinationOf(random: SeededRandom, facts: Facts, tokenId: number): Destination {
  const owner = personOf(random.below(PEOPLE))
  switch (random.below(6)) {
    case 0:
      return {
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: owner.address,
        toPublicKey: null
      }
    case 1:
      return {
        type: "TransferToBJJ",
        toAccountIndex: null,
        toAddress: INTERNAL_ADDRESS,
        toPublicKey: owner.publicKey
      }
    case 2:
      return { type: "Exit", toAccountIndex: 1, toAddress: null, toPublicKey: null }
    default: {
      // after a rollback the token may have no account any more
      const receivers = facts.accounts.filter((account) => account.tokenId === tokenId)
      const index = receivers.length === 0 ? unknownIndex : random.of(receivers).index
      return {
        type: "Transfer",
        toAccountIndex: random.chance(0.04) ? unknownIndex : index,
        toAddress: null,
        toPublicKey: null
      }
    }
  }
}

export const drawAuthorization = (random: SeededRandom): PostedAuthorization => {
  const { address, publicKey, signature } = personOf(random.below(PEOPLE))
  return {
    address,
    publicKey: random.chance(0.1) ? personOf(random.below(PEOPLE)).publicKey : publicKey,
    signature
  }
}
