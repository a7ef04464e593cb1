import * as Result from "effect/Result"
import type { later } from "../client/mod.ts"
import {
  localName,
  type PostedAuthorization,
  type PostedTransaction
} from "../../core/domain/mod.ts"
import {
  checksumAddress,
  type EthereumAddress,
  formatAccountIndex,
  formatPrefixedAddress,
  formatPublicKey,
  parsePrefixedAddress
} from "../../core/encoding/mod.ts"
import { keccak256 } from "../crypto/mod.ts"

/**
 * Returns the body of a post, with the names of the network and the symbols of the tokens of the
 * transaction and of the one that it requires.
 */
export function transactionBody(
  { request, toAccountIndex, toAddress, toPublicKey, ...posted }: PostedTransaction,
  prefix: string,
  { requestSymbol, symbol }: { readonly requestSymbol: string; readonly symbol: string }
): later.PostPoolL2Transaction {
  const index = (index: number) => formatAccountIndex(prefix, symbol, index)
  const requestIndex = (index: number) => formatAccountIndex(prefix, requestSymbol, index)
  const address = (address: string) => addressText(prefix, address)
  const key = (key: string) => formatPublicKey(prefix, key)
  return withLocalNames({
    ...posted,
    fromAccountIndex: index(posted.fromAccountIndex),
    toAccountIndex: orNull(toAccountIndex, index),
    toZkEthereumAddress: orNull(toAddress, address),
    toBjj: orNull(toPublicKey, key),
    amount: String(posted.amount),
    requestFromAccountIndex: orNull(request?.fromAccountIndex, requestIndex),
    requestToAccountIndex: orNull(request?.toAccountIndex, requestIndex),
    requestToZkEthereumAddress: orNull(request?.toAddress, address),
    requestToBjj: orNull(request?.toPublicKey, key),
    requestTokenId: request?.tokenId ?? null,
    requestAmount: orNull(request?.amount, String),
    requestFee: request?.fee ?? null,
    requestNonce: request?.nonce ?? null
  }, prefix)
}

/** Returns the body of a post of an authorization, with the names of the network. */
export function authorizationBody(
  { address, publicKey, signature }: PostedAuthorization,
  prefix: string
): later.AccountCreationAuthorizationPost {
  return withLocalNames({
    zkEthereumAddress: addressText(prefix, address),
    bjj: formatPublicKey(prefix, publicKey),
    signature
  }, prefix)
}

/** Returns the address that owns an account of an answer, in canonical form. */
export function ownerAddress(account: later.Account, prefix: string): EthereumAddress {
  const local: { readonly [name: string]: unknown } = { ...account }
  return Result.getOrThrow(
    parsePrefixedAddress(prefix, String(local[localName({ prefix }, "zkEthereumAddress")]))
  )
}

const addressText = (prefix: string, address: string): string =>
  formatPrefixedAddress(prefix, checksumAddress(address, keccak256))

/** The client is typed for the default network; the names are those of this one. */
const withLocalNames = <T extends object>(body: T, prefix: string): T =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [localName({ prefix }, name), value])
  ) as T

const orNull = <A, B>(value: A | null | undefined, write: (value: A) => B): B | null =>
  value === null || value === undefined ? null : write(value)
