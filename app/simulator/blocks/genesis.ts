import type { GenesisFeed } from "../../../core/domain/mod.ts"
import type { EthereumAddress } from "../../../core/encoding/mod.ts"
import { blockHashOf, type Wallets, type Settings } from "../world/mod.ts"

/** Much less than on a real network, so that the auction is visible in a short run. */
const BLOCKS_PER_SLOT = 10
export const GENESIS_BLOCK = 18_000_000n
const START_TIME_MS = Date.UTC(2026, 0, 1)
const WHOLE = 10n ** 18n

/** Returns the genesis block of a simulated network. */
export function genesisOf(settings: Settings, wallets: Wallets): GenesisFeed {
  const { contracts, coordinatorUrl, network } = settings
  const governanceToken = contracts.governanceToken ?? wallets.contractAddress("governance-token")
  const governanceAddress = wallets.contractAddress("governance")
  const { rollupAddress } = network
  return {
    network,
    block: {
      number: GENESIS_BLOCK,
      hash: blockHashOf(settings.seed, GENESIS_BLOCK, 0),
      timestampMs: START_TIME_MS
    },
    constants: {
      rollup: {
        governanceToken,
        absoluteMaxL1L2BatchTimeout: 240,
        verifiers: [{ maxTx: 344, nlevels: 32 }, { maxTx: 2048, nlevels: 32 }],
        auctionAddress: contracts.auctionAddress ?? wallets.contractAddress("auction"),
        governanceAddress,
        safetyAddress: wallets.contractAddress("safety"),
        withdrawalDelayerAddress: contracts.withdrawalDelayerAddress ??
          wallets.contractAddress("withdrawal-delayer")
      },
      auction: {
        blocksPerSlot: BLOCKS_PER_SLOT,
        initialMinimalBidding: 10n * WHOLE,
        genesisBlockNum: GENESIS_BLOCK + 3n,
        governanceToken,
        rollupAddress,
        governanceAddress
      },
      withdrawalDelayer: {
        maxWithdrawalDelay: 1_209_600,
        maxEmergencyModeTime: 15_724_800,
        rollupAddress
      }
    },
    variables: variablesOf(wallets, governanceAddress, coordinatorUrl)
  }
}

function variablesOf(
  wallets: Wallets,
  governanceAddress: EthereumAddress,
  bootCoordinatorUrl = "https://boot.example"
): GenesisFeed["variables"] {
  return {
    rollup: {
      forgeL1L2BatchTimeout: 10,
      feeAddToken: 10n * WHOLE,
      withdrawalDelay: 86_400,
      buckets: [100n, 1_000n, 10_000n, 100_000n, 1_000_000n].map((ceilUSD, position) => ({
        ceilUSD,
        blockStamp: 0n,
        withdrawals: BigInt(50 >> position),
        blockWithdrawalRate: BigInt(4 << position),
        // absent: one withdrawal
        ...position < 2 ? { rateWithdrawals: BigInt(3 - position) } : {},
        maxWithdrawals: BigInt(100 >> position)
      })),
      safeMode: false
    },
    auction: {
      bootCoordinator: wallets.coordinator(0).address,
      bootCoordinatorUrl,
      slotDeadline: 5,
      closedAuctionSlots: 2,
      openAuctionSlots: 40,
      defaultSlotSetBid: [10n, 10n, 10n, 12n, 10n, 15n].map((bid) => bid * WHOLE),
      defaultSlotSetBidSlotNum: 0,
      outbidding: 1000,
      donationAddress: wallets.contractAddress("donation"),
      allocationRatio: [4000, 4000, 2000]
    },
    withdrawalDelayer: {
      governanceAddress,
      emergencyCouncilAddress: wallets.contractAddress("emergency-council"),
      keeperAddress: wallets.contractAddress("keeper"),
      // short, so that a demo shows requests and their collections
      withdrawalDelay: 120,
      emergencyModeStartingBlock: 0n,
      emergencyModeStartingTime: 0,
      emergencyMode: false
    }
  }
}
