import { Result } from "effect"
import type { Network } from "../../core/domain/mod.ts"
import {
  parseAccountIndex,
  parseEthereumAddress,
  parsePrefixedAddress,
  parsePublicKey,
  type PublicKey
} from "../../core/encoding/mod.ts"
import type { VectorCase } from "../vectors/mod.ts"
import type { SignedTransaction } from "../../core/ports/mod.ts"

/** A transaction as the published client posts it. */
export interface PostBody {
  readonly id: string
  readonly tokenId: number
  readonly fromAccountIndex: string
  readonly toAccountIndex: string | null
  readonly toHezEthereumAddress: string | null
  readonly toBjj: string | null
  readonly amount: string
  readonly fee: number
  readonly nonce: number
  readonly maxNumBatch: number
  readonly signature: string
  readonly requestFromAccountIndex: string | null
  readonly requestToAccountIndex: string | null
  readonly requestToHezEthereumAddress: string | null
  readonly requestToBjj: string | null
  readonly requestTokenId: number | null
  readonly requestAmount: string | null
  readonly requestFee: number | null
  readonly requestNonce: number | null
}

export interface TransactionVector extends VectorCase {
  readonly chainId: number
  readonly signerBjj: string
  readonly postBody: PostBody
}

export interface AuthorizationVector extends VectorCase {
  readonly chainId: number
  readonly verifyingContract: string
  readonly postBody: {
    readonly hezEthereumAddress: string
    readonly bjj: string
    readonly signature: string
  }
}

/** Returns the network that an authorization is valid for. */
export function networkOf({ chainId, verifyingContract }: AuthorizationVector): Network {
  return {
    prefix: "hez",
    name: "Hermez Network",
    chainId,
    rollupAddress: Result.getOrThrow(parseEthereumAddress(verifyingContract))
  }
}

/** Returns the signed content of a posted body. */
export function signedTransaction(body: PostBody): SignedTransaction {
  const request = {
    fromAccountIndex: index(body.requestFromAccountIndex),
    toAccountIndex: index(body.requestToAccountIndex),
    toAddress: address(body.requestToHezEthereumAddress),
    toPublicKey: key(body.requestToBjj),
    tokenId: body.requestTokenId,
    amount: number(body.requestAmount),
    fee: body.requestFee,
    nonce: number(body.requestNonce)
  }
  return {
    tokenId: body.tokenId,
    fromAccountIndex: Result.getOrThrow(parseAccountIndex("hez", body.fromAccountIndex)),
    toAccountIndex: index(body.toAccountIndex),
    toAddress: address(body.toHezEthereumAddress),
    toPublicKey: key(body.toBjj),
    amount: BigInt(body.amount),
    fee: body.fee,
    nonce: BigInt(body.nonce),
    maxNumBatch: body.maxNumBatch,
    request: Object.values(request).every((value) => value === null) ? null : request,
    signature: body.signature
  }
}

export function publicKey(bjj: string): PublicKey {
  return Result.getOrThrow(parsePublicKey("hez", bjj))
}

const index = (text: string | null) =>
  text === null ? null : Result.getOrThrow(parseAccountIndex("hez", text))
const address = (text: string | null) =>
  text === null ? null : Result.getOrThrow(parsePrefixedAddress("hez", text))
const key = (text: string | null) => text === null ? null : publicKey(text)
const number = (text: string | number | null) => text === null ? null : BigInt(text)
