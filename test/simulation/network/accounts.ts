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

/** Returns a transaction with the signature of its sender. */
export function signed(
  posted: PostedTransaction,
  publicKey: string,
  chainId: number
): PostedTransaction {
  const number = people.findIndex((person) => person.publicKey === publicKey)
  return { ...posted, signature: signTransaction(secretOf(number), posted, chainId) }
}
