import { assert, describe, it } from "@effect/vitest"
import { signAccessMessage } from "../../adapters/crypto/mod.ts"
import {
  InvalidKey,
  walletFromEthereumKey,
  walletFromSeed,
  walletFromSignature
} from "../../adapters/wallet/mod.ts"
import { formatPublicKey, INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { verifyCases } from "../vectors/mod.ts"

interface WalletCase {
  readonly kind: "ethereum" | "internal"
  readonly ethereumPrivateKey: string
  readonly ethereumAddress: string
  readonly accessMessageSignature: string
  readonly bjjPrivateKey: string
  readonly bjj: string
}

/** The network of the published clients. */
const network = { name: "Hermez Network" }
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex.replace("0x", ""), "hex"))

describe("A wallet", () => {
  it("has the keys that the published clients derive from an Ethereum key, a signature or a seed", () => {
    verifyCases<WalletCase>("wallets", 260, (vector) => {
      const { accessMessageSignature: signature, bjj, bjjPrivateKey } = vector
      const isInternal = vector.kind === "internal"
      const wallets = isInternal ? [walletFromSeed(bjjPrivateKey)] : [
        walletFromEthereumKey(vector.ethereumPrivateKey, network),
        walletFromSignature({ address: vector.ethereumAddress, signature }, network)
      ]
      const address = isInternal ? INTERNAL_ADDRESS : vector.ethereumAddress.toLowerCase()
      for (const [i, wallet] of wallets.entries()) {
        const ethereumKey = isInternal || i === 1 ? null : bytesOf(vector.ethereumPrivateKey)
        assert.deepStrictEqual({ ...wallet, publicKey: formatPublicKey("hez", wallet.publicKey) }, {
          privateKey: bytesOf(bjjPrivateKey),
          publicKey: bjj,
          address,
          ethereumKey
        })
      }
    })
  })

  it("is refused for what is no key, and the message does not contain it", () => {
    const key = new Uint8Array(32).fill(7)
    const { address } = walletFromEthereumKey(key, network)
    const signature = signAccessMessage(key, network)
    const refused: ReadonlyArray<readonly [() => unknown, RegExp]> = [
      [() => walletFromSeed("abc"), /^A seed has other characters than hexadecimal digits/u],
      [() => walletFromSeed("0xabcd"), /^A seed has 2 bytes: expected 32 bytes/u],
      [() => walletFromSeed(new Uint8Array(31)), /^A seed has 31 bytes/u],
      [() => walletFromEthereumKey(new Uint8Array(32), network), /outside its range/u],
      [() => walletFromEthereumKey("f".repeat(64), network), /outside its range/u],
      [
        () => walletFromSignature({ address: "0x1", signature }, network),
        /^Address "0x1": expected 0x and 40 hexadecimal digits/u
      ],
      [
        () => walletFromSignature({ address, signature }, { name: "Other" }),
        /^The signature is not one of the access message of Other by 0x/u
      ],
      [
        () => walletFromSignature({ address, signature: signature.slice(0, -2) }, network),
        /^The signature is not one of the access message/u
      ]
    ]
    for (const [derive, message] of refused) {
      assert.throws(derive, InvalidKey)
      assert.throws(derive, message)
      assert.throws(derive, /^(?!.*(?:[0-9a-f]{41}|ffff))/u)
    }
  })
})
