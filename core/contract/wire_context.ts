import { localName, type Network } from "../domain/mod.ts"
import {
  checksumAddress,
  type EthereumAddress,
  formatAccountIndex,
  formatPrefixedAddress,
  formatPublicKey,
  type Keccak256,
  type PublicKey
} from "../encoding/mod.ts"

/**
 * Writes identifiers as this deployment spells them. Make one per process: it caches the texts of
 * addresses and keys.
 */
export interface WireContext {
  readonly network: Network
  /** A name of the contract (`zkEthereumAddress`) as this network spells it. */
  readonly name: (name: string) => string
  /** `zk:0x…` in EIP-55 mixed case. */
  readonly address: (address: EthereumAddress) => string
  /** `zk:` and 44 characters. */
  readonly publicKey: (key: PublicKey) => string
  /** The JSON of `address`. */
  readonly addressJson: (address: EthereumAddress) => string
  /** The JSON of `publicKey`. */
  readonly publicKeyJson: (key: PublicKey) => string
  readonly accountIndex: (symbol: string, index: number) => string
}

/**
 * The version of this package in `package.json`. The serialization of answers may differ between
 * versions.
 */
export const programVersion = "0.0.1"

/** Entries of each of the two caches before it is cleared: at most about 20 MB. */
const cachedIdentifiersMax = 65536

/**
 * Returns a function that writes the JSON of an identifier, and caches it in one piece: an answer
 * copies each piece of a concatenation by itself.
 */
const cachedJson = (format: (value: string) => string): (value: string) => string => {
  const known = new Map<string, string>()
  return (value) => {
    let json = known.get(value)
    if (json === undefined) {
      json = JSON.stringify(format(value))
      if (known.size >= cachedIdentifiersMax) known.clear()
      known.set(value, json)
    }
    return json
  }
}

/**
 * Returns how a network writes identifiers and names, with the caches of written texts. Create one
 * for each process: all answers share its caches, at most about 20 MB.
 *
 * @param keccak256 checks and writes the mixed case of addresses
 *
 * @example
 * ```ts
 * import { wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "hez", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const { accountIndex, name } = wireContext(network, keccak256)
 * console.log(accountIndex("ETH", 256)) // => hez:ETH:256
 * console.log(name("zkEthereumAddress")) // => hezEthereumAddress
 * ```
 */
export const wireContext = (network: Network, keccak256: Keccak256): WireContext => {
  const addressJson = cachedJson((address) =>
    formatPrefixedAddress(network.prefix, checksumAddress(address, keccak256))
  )
  const publicKeyJson = cachedJson((key) => formatPublicKey(network.prefix, key))
  return {
    network,
    name: (name) => localName(network, name),
    address: (address) => addressJson(address).slice(1, -1),
    publicKey: (key) => publicKeyJson(key).slice(1, -1),
    addressJson,
    publicKeyJson,
    accountIndex: (symbol, index) => formatAccountIndex(network.prefix, symbol, index)
  }
}
