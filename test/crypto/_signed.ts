import {
  derivePublicKey,
  ethereumAddress,
  keccak256,
  signAuthorization,
  signTransaction
} from "../../adapters/crypto/mod.ts"
import type { Network } from "../../core/domain/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { postedTransferOf } from "../laws/pool/_pool_rows.ts"
import type { SignedAuthorization, SignedTransaction } from "../../core/ports/mod.ts"

export const network: Network = {
  prefix: "zk",
  name: "Signing network",
  chainId: 1337,
  rollupAddress: `0x${"ab".repeat(20)}`
}

export interface Signed {
  readonly publicKey: PublicKey
  readonly transaction: SignedTransaction
}

/** Returns signed transactions of several wallets, in turn. */
export function signedTransactions(count: number, wallets: number): ReadonlyArray<Signed> {
  return Array.from({ length: count }, (_, i) => {
    const privateKey = new Uint8Array(32).fill(1 + i % wallets)
    const unsigned = postedTransferOf(
      { fromAccountIndex: 256 + i % wallets, toAccountIndex: 256, nonce: BigInt(i) },
      keccak256
    )
    const signature = signTransaction(privateKey, unsigned, network.chainId)
    return { publicKey: derivePublicKey(privateKey), transaction: { ...unsigned, signature } }
  })
}

export function signedAuthorization(seed: number): SignedAuthorization {
  const owner = new Uint8Array(32).fill(seed)
  const publicKey = derivePublicKey(owner)
  return {
    address: ethereumAddress(owner),
    publicKey,
    signature: signAuthorization(owner, publicKey, network)
  }
}
