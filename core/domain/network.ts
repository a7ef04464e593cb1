import type { EthereumAddress } from "../encoding/mod.ts"

/**
 * The identity of one deployment. It shapes what the wire shows (`prefix` stands in identifiers such as
 * `zk:ETH:256` and in names such as `zkEthereumAddress`) and what is signed (`name`, `chainId`, `rollupAddress`).
 */
export interface Network {
  /** Lower-case letters and digits, starting with a letter: `zk` by default. */
  readonly prefix: string
  /** The provider name of account-creation authorizations. */
  readonly name: string
  /** 0..65535: two bytes of what an L2 transaction signs. */
  readonly chainId: number
  readonly rollupAddress: EthereumAddress
}

/** The prefix with its first letter in upper case, as it stands inside of names: `toZkEthereumAddress`. */
export const capitalizedPrefix = (prefix: string): string =>
  prefix.slice(0, 1).toUpperCase() + prefix.slice(1)

/** Spells a contract name of the default network (`zkEthereumAddress`, `toZkEthereumAddress`) for this network. */
export const localName = (network: Pick<Network, "prefix">, name: string): string =>
  network.prefix === "zk"
    ? name
    : name.replace(/^zk(?=[A-Z])/u, network.prefix).replace(
      /Zk(?=[A-Z])/u,
      capitalizedPrefix(network.prefix)
    )
