import { derivePublicKey, signTransaction } from "../../../adapters/crypto/mod.ts"
import type { PostedTransaction } from "../../../core/domain/mod.ts"
import { poolNetwork } from "../../laws/mod.ts"

/** The owner of a key. */
export interface Person {
  readonly address: string
  readonly publicKey: string
  /** A well-formed signature of an authorization; it is not valid. */
  readonly signature: string
}

export const PEOPLE = 10

const secretOf = (number: number) => new Uint8Array(32).fill(number + 1)
const people: ReadonlyArray<Person> = Array.from(
  { length: PEOPLE },
  (_, number) => ({ ...poolNetwork.ownerOf(number), publicKey: derivePublicKey(secretOf(number)) })
)

export const personOf = (number: number): Person => people[number]!

/** Returns the key with bit 254, which its leaf does not have. */
export const withBit254 = (key: string): string => key.slice(0, -2) + lastByte(key, 0x40, 0xff)

const withoutBit254 = (key: string): string => key.slice(0, -2) + lastByte(key, 0, 0xbf)

const lastByte = (key: string, set: number, kept: number): string =>
  ((Number.parseInt(key.slice(-2), 16) | set) & kept).toString(16).padStart(2, "0")

/** Returns a transaction with the signature of its sender. */
export function signed(
  posted: PostedTransaction,
  publicKey: string,
  chainId: number
): PostedTransaction {
  const number = people.findIndex((person) => person.publicKey === withoutBit254(publicKey))
  return { ...posted, signature: signTransaction(secretOf(number), posted, chainId) }
}
