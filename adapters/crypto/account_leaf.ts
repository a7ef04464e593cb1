import {
  addressNumber,
  type EthereumAddress,
  type PublicKey,
  publicKeyParts
} from "../../core/encoding/mod.ts"
import { poseidon } from "./poseidon.ts"

/** What the leaf of an account covers; for an exit leaf the balance is the exit amount and the nonce 0. */
export interface LeafAccount {
  /** 0..2^32−1 */
  readonly tokenId: number
  /** 0..2^40−1 */
  readonly nonce: bigint
  /** 0..2^192−1 */
  readonly balance: bigint
  readonly publicKey: PublicKey
  readonly address: EthereumAddress
}

/** The hash of an account's state (domain §6.8). */
export function accountLeaf({ tokenId, nonce, balance, publicKey, address }: LeafAccount): bigint {
  const { y, sign } = publicKeyParts(publicKey)
  const packed = (sign ? SIGN_BIT : 0n) | (nonce << 32n) | BigInt(tokenId)
  return poseidon([packed, balance, y, addressNumber(address)])
}

const SIGN_BIT = 1n << 72n
