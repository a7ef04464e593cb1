import {
  addressNumber,
  type EthereumAddress,
  type PublicKey,
  publicKeyParts
} from "../../core/encoding/mod.ts"
import { poseidon } from "./poseidon.ts"

/** The hashed fields of an account. In an exit leaf, `balance` is the exit amount and `nonce` 0. */
export interface LeafAccount {
  /** 0..2^32−1 */
  readonly tokenId: number
  /** 0..2^40−1 */
  readonly nonce: bigint
  /** Units of the token, 0..2^192−1. */
  readonly balance: bigint
  readonly publicKey: PublicKey
  readonly address: EthereumAddress
}

/**
 * Returns the hash of an account, the value of its leaf in the state tree (domain §6.8).
 *
 * @example
 * ```ts
 * import { EMPTY_PUBLIC_KEY, ZERO_ADDRESS } from "rollup-node-api"
 * import { accountLeaf, poseidon } from "rollup-node-api/crypto"
 *
 * const owner = { publicKey: EMPTY_PUBLIC_KEY, address: ZERO_ADDRESS }
 * const leaf = accountLeaf({ tokenId: 3, nonce: 1n, balance: 500n, ...owner })
 * console.log(leaf === poseidon([(1n << 32n) + 3n, 500n, 0n, 0n])) // => true
 * ```
 */
export function accountLeaf({ tokenId, nonce, balance, publicKey, address }: LeafAccount): bigint {
  const { y, sign } = publicKeyParts(publicKey)
  const packed = (sign ? SIGN_BIT : 0n) | (nonce << 32n) | BigInt(tokenId)
  return poseidon([packed, balance, y, addressNumber(address)])
}

const SIGN_BIT = 1n << 72n
