import type { Network } from "../../../core/domain/mod.ts"
import { recorded } from "./_recorded.ts"
import { Recording } from "./recording.ts"

/** What a simulated network is like; the same options give the same network, byte for byte. */
export interface SimulationOptions {
  readonly seed: string | number
  readonly network?: Network
  /** Time of the genesis block, milliseconds since 1970; a fixed time by default. */
  readonly startTimeMs?: number
  /** How many users arrive in the beginning (afterwards now and then another one); 150 by default. */
  readonly users?: number
  /** How many tokens are registered beside ether, at most 10, which is the default. */
  readonly tokens?: number
  /** How many coordinators bid, 4 by default. */
  readonly coordinators?: number
  /** L2 transactions of an average block with batches, 16 by default. */
  readonly transactionsPerBlock?: number
  /** Share of the L2 transactions that are exits, 0.03 by default; each costs a Merkle proof, about a millisecond. */
  readonly exitShare?: number
  /** Share of the L2 transfers that involve the first account, 0 by default. */
  readonly heavyShare?: number
  /** Average number of blocks between two rollbacks, 5 or more, 50 by default; 0 for none. */
  readonly rollBackPeriodBlocks?: number
  /**
   * Whether state roots are made up, field elements that differ from batch to batch and from fork to fork, for tests that look at
   * something else; false by default: then each is the root of the accounts, at some milliseconds a transaction unless it is recorded.
   */
  readonly placeholderRoots?: boolean
  /** Results that need not be computed again; by default those of seed 1 with 3000 transactions, which serve no other seed. */
  readonly recording?: Recording
}

export interface Settings extends Required<Omit<SimulationOptions, "seed">> {
  readonly seed: string
}

export const defaultNetwork: Network = {
  prefix: "zk",
  name: "Rollup Network",
  chainId: 1337,
  rollupAddress: "0x10465b16615ae36f350268eb951d7b0187141d3b"
}

/** Rollbacks are up to 5 blocks deep, about 3 on average: with more of them the chain would not grow. */
const rollBackPeriodMin = 5

/** Throws a RangeError for options of which no network can be made. */
export const settingsOf = ({ seed, ...given }: SimulationOptions): Settings => {
  const settings = { ...defaults, ...given, seed: String(seed) }
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
  startTimeMs: Date.UTC(2026, 0, 1),
  users: 150,
  tokens: 10,
  coordinators: 4,
  transactionsPerBlock: 16,
  exitShare: 0.03,
  heavyShare: 0,
  rollBackPeriodBlocks: 50,
  placeholderRoots: false,
  recording: new Recording(recorded)
}
