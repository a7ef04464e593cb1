/*
 * The cryptography of the simulated wallets, with a cache: many networks of a test process are made
 * from the same seeds, and derive the same keys.
 */
import * as crypto from "../../adapters/crypto/mod.ts"

export * from "../../adapters/crypto/mod.ts"

const remembered = <A>(compute: (privateKey: Uint8Array) => A): (privateKey: Uint8Array) => A => {
  const results = new Map<string, A>()
  return (privateKey) => {
    const key = Buffer.from(privateKey).toString("latin1")
    let result = results.get(key)
    if (result === undefined) results.set(key, result = compute(privateKey))
    return result
  }
}

export const derivePublicKey = remembered(crypto.derivePublicKey)
export const ethereumAddress = remembered(crypto.ethereumAddress)
export const signerOf = remembered((privateKey) => {
  const sign = crypto.signerOf(privateKey)
  const signatures = new Map<bigint, string>()
  return (message: bigint) => {
    let signature = signatures.get(message)
    if (signature === undefined) signatures.set(message, signature = sign(message))
    return signature
  }
})
