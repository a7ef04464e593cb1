import { type Network, protocol } from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"

/** Options of a simulated network. The same options generate the same network, byte for byte. */
export interface SimulationOptions {
  readonly seed: string | number
  readonly network?: Network
  /** Addresses of its other contracts; derived from the seed by default. */
  readonly contracts?: SimulatedContracts
  /** URL of every coordinator; a fictional one for each by default. */
  readonly coordinatorUrl?: string | undefined
  /**
   * Users that arrive in the first blocks; 150 by default. More users arrive later, one at a time.
   */
  readonly users?: number
  /** Tokens registered in addition to ether, at most 13; 13 by default. */
  readonly tokens?: number
  /** Coordinators that bid in the auction; 4 by default. */
  readonly coordinators?: number
  /** L2 transactions in an average block that has batches; 16 by default. */
  readonly transactionsPerBlock?: number
  /**
   * Share of exits among the L2 transactions, from 0 to 1; 0.03 by default. Each needs a Merkle
   * proof.
   */
  readonly exitShare?: number
  /** Share of L2 transfers that the first account sends or receives, from 0 to 1; 0 by default. */
  readonly heavyShare?: number
  /** L1 user transactions of a full queue, at most 128; 128 by default, as in the contract. */
  readonly queueSize?: number
  /**
   * Average number of blocks between two rollbacks, at least 5; 50 by default, 0 disables
   * rollbacks.
   */
  readonly rollBackPeriodBlocks?: number
  /**
   * Whether state roots are placeholders that differ for each batch and fork; false by default.
   * True roots cost some milliseconds per transaction.
   */
  readonly placeholderRoots?: boolean
}

/** Contracts of a simulated network besides the rollup contract. */
export interface SimulatedContracts {
  readonly auctionAddress?: EthereumAddress | undefined
  readonly withdrawalDelayerAddress?: EthereumAddress | undefined
  readonly governanceToken?: EthereumAddress | undefined
}

/** Settings of the program that identify a simulated network. */
export interface NetworkSettings extends SimulatedContracts {
  readonly seed: string
  readonly prefix: string
  readonly networkName?: string
  readonly chainId?: number
  readonly rollupAddress?: EthereumAddress
  readonly publicUrl?: string | undefined
}

/**
 * Returns the options of the simulated network that settings of the program identify.
 *
 * @example
 * ```ts
 * import { networkOptions, simulate } from "rollup-node-api/simulator"
 *
 * const options = networkOptions({ seed: "1", prefix: "hez", chainId: 5 })
 * const { network } = simulate(options).genesis
 * console.log(network.prefix, network.chainId) // => hez 5
 * ```
 */
export const networkOptions = (
  { chainId, networkName, prefix, publicUrl, rollupAddress, seed, ...settings }: NetworkSettings
): SimulationOptions => ({
  seed,
  network: {
    prefix,
    name: networkName ?? defaultNetwork.name,
    chainId: chainId ?? defaultNetwork.chainId,
    rollupAddress: (rollupAddress ?? defaultNetwork.rollupAddress).toLowerCase()
  },
  contracts: {
    auctionAddress: settings.auctionAddress?.toLowerCase(),
    withdrawalDelayerAddress: settings.withdrawalDelayerAddress?.toLowerCase(),
    governanceToken: settings.governanceToken?.toLowerCase()
  },
  coordinatorUrl: publicUrl
})

/** All options, with their defaults. */
export interface Settings extends Required<Omit<SimulationOptions, "seed">> {
  readonly seed: string
}

/** The network that is simulated by default. */
export const defaultNetwork: Network = {
  prefix: "zk",
  name: "Rollup Network",
  chainId: 1337,
  rollupAddress: "0x10465b16615ae36f350268eb951d7b0187141d3b"
}

/**
 * A rollback drops up to 5 blocks, 3 on average: with a shorter period the chain would not grow.
 */
const rollBackPeriodMin = 5

/** Returns the options with their defaults. Throws a RangeError if rollbacks are too frequent. */
export const settingsOf = ({ seed, ...options }: SimulationOptions): Settings => {
  const settings = { ...defaults, ...options, seed: String(seed) }
  const { rollBackPeriodBlocks: period } = settings
  if (period !== 0 && period < rollBackPeriodMin) {
    throw new RangeError(
      `A rollback every ${period} blocks is too often: expected ${rollBackPeriodMin} blocks or more, or 0 for none`
    )
  }
  return settings
}

const defaults = {
  network: defaultNetwork,
  contracts: {},
  coordinatorUrl: undefined,
  users: 150,
  tokens: 13,
  coordinators: 4,
  transactionsPerBlock: 16,
  exitShare: 0.03,
  heavyShare: 0,
  queueSize: protocol.maxL1UserTx,
  rollBackPeriodBlocks: 50,
  placeholderRoots: false
}
