import type { GenesisFeed } from "./genesis_feed.ts"

/**
 * Constants of the protocol, the same on every network (PROTOCOL.md "Limits"). The sizes in bytes are
 * for float40 amounts.
 */
export const protocol = {
  /** Maximum number of tokens in which a batch can collect fees. */
  maxFeeIdxCoordinator: 64,
  reservedIdx: 255,
  exitIdx: 1,
  /** Deposits are below this limit. */
  limitDepositAmount: 1n << 128n,
  limitL2TransferAmount: 1n << 192n,
  limitTokens: 4294967296,
  l1CoordinatorTotalBytes: 101,
  l1UserTotalBytes: 78,
  /** Maximum number of L1 user transactions in a queue. */
  maxL1UserTx: 128,
  /** Maximum number of L1 transactions of users and coordinator in a batch. */
  maxL1Tx: 256,
  inputSHAConstantBytes: 18546,
  numBuckets: 5,
  /** Seconds. */
  maxWithdrawalDelay: 1209600,
  exchangeMultiplier: 100000000000000
} as const

/**
 * The identity of one deployment. It determines identifiers and names on the wire (`prefix` is part
 * of identifiers such as `zk:ETH:256` and of names such as `zkEthereumAddress`) and signed content
 * (`name`, `chainId`, `rollupAddress`).
 */
export type Network = GenesisFeed["network"]

/**
 * Returns a property name of the default network, such as `toZkEthereumAddress`, with the prefix of
 * this network.
 *
 * @example
 * ```ts
 * import { localName } from "rollup-node-api"
 *
 * console.log(localName({ prefix: "acme" }, "zkEthereumAddress")) // => acmeEthereumAddress
 * console.log(localName({ prefix: "acme" }, "toZkEthereumAddress")) // => toAcmeEthereumAddress
 * ```
 */
export const localName = (network: Pick<Network, "prefix">, name: string): string =>
  network.prefix === "zk"
    ? name
    : name.replace(/^zk(?=[A-Z])/u, network.prefix).replace(
      /Zk(?=[A-Z])/u,
      network.prefix.slice(0, 1).toUpperCase() + network.prefix.slice(1)
    )
