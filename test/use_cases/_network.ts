import { Layer } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { Ledger, type LedgerRules } from "../../core/use_cases/mod.ts"

export const addressOf = (digit: string): string => `0x${digit.repeat(40)}`
export const keyOf = (digit: string): string => digit.repeat(64)
export const hashOf = (number: bigint): string => `0x${number.toString(16).padStart(64, "0")}`

const bucket = {
  ceilUSD: 100n,
  blockStamp: 0n,
  withdrawals: 3n,
  blockWithdrawalRate: 5n,
  maxWithdrawals: 10n
}

/** A network whose slots have ten blocks, from its genesis block 100 on. */
export const genesis: GenesisFeed = {
  network: { prefix: "zk", name: "Test", chainId: 1, rollupAddress: addressOf("1") },
  block: { number: 100n, hash: hashOf(100n), timestampMs: 100_000 },
  constants: {
    rollup: {
      governanceToken: addressOf("2"),
      absoluteMaxL1L2BatchTimeout: 240,
      verifiers: [{ maxTx: 2048, nlevels: 32 }],
      auctionAddress: addressOf("3"),
      governanceAddress: addressOf("4"),
      safetyAddress: addressOf("5"),
      withdrawalDelayerAddress: addressOf("6")
    },
    auction: {
      blocksPerSlot: 10,
      initialMinimalBidding: 10n,
      genesisBlockNum: 100n,
      governanceToken: addressOf("2"),
      rollupAddress: addressOf("1"),
      governanceAddress: addressOf("4")
    },
    withdrawalDelayer: {
      maxWithdrawalDelay: 100,
      maxEmergencyModeTime: 100,
      rollupAddress: addressOf("1")
    }
  },
  variables: {
    rollup: {
      forgeL1L2BatchTimeout: 10,
      feeAddToken: 1n,
      withdrawalDelay: 100,
      buckets: [bucket, bucket],
      safeMode: false
    },
    auction: {
      bootCoordinator: addressOf("7"),
      bootCoordinatorUrl: "https://boot.example",
      slotDeadline: 4,
      closedAuctionSlots: 2,
      openAuctionSlots: 100,
      defaultSlotSetBid: [1n, 1n, 1n, 1n, 1n, 1n],
      defaultSlotSetBidSlotNum: 0,
      outbidding: 1000,
      donationAddress: addressOf("8"),
      allocationRatio: [4000, 4000, 2000]
    },
    withdrawalDelayer: {
      governanceAddress: addressOf("4"),
      emergencyCouncilAddress: addressOf("9"),
      keeperAddress: addressOf("a"),
      withdrawalDelay: 100,
      emergencyModeStartingBlock: 0n,
      emergencyModeStartingTime: 0,
      emergencyMode: false
    }
  }
}

export const rules: LedgerRules = { constants: genesis.constants, keccak256 }

/** An empty ledger in memory, with its stores. */
export const memoryLedger = (
  opened: GenesisFeed = genesis,
  checks?: Parameters<typeof Ledger.layer>[2]
) => Ledger.layer(opened, keccak256, checks).pipe(Layer.provideMerge(layer(opened)))
