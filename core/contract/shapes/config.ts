import { Schema } from "effect"
import { type NetworkConstants, protocol } from "../../domain/mod.ts"
import { bigInt, count, ethBlockNum, ethereumAddress } from "../scalars/mod.ts"
import { documented, object, shape } from "../objects/mod.ts"

const verifier = object("Verifier", "Capacity of a proof verifier", {
  maxTx: count,
  nlevels: documented(count, "Depth of the state tree")
})

/** The last field is that of `earlier`. */
export const publicConstants = object(
  "RollupPublicConstants",
  "Constants of the deployed rollup contract",
  {
    governanceToken: ethereumAddress,
    absoluteMaxL1L2BatchTimeout: documented(count, "Blocks"),
    verifiers: Schema.Array(verifier),
    auctionAddress: ethereumAddress,
    governanceAddress: ethereumAddress,
    withdrawalDelayerAddress: ethereumAddress,
    safetyAddress: ethereumAddress
  }
)

/** The constants that all deployments share, and those of the deployed contract. */
export const rollupConstants = object("ConfigRollup", "Constants of the rollup", {
  publicConstants,
  maxFeeIdxCoordinator: documented(count, "Tokens in which a batch can collect fees"),
  reservedIdx: documented(count, "Last reserved account index"),
  exitIdx: documented(count, "Account index of the exit"),
  limitDepositAmount: documented(bigInt, "Deposits stay below"),
  limitL2TransferAmount: documented(bigInt, "Transfers stay below"),
  limitTokens: count,
  l1CoordinatorTotalBytes: count,
  l1UserTotalBytes: count,
  maxL1UserTx: count,
  maxL1Tx: count,
  inputSHAConstantBytes: count,
  numBuckets: count,
  maxWithdrawalDelay: documented(count, "Seconds"),
  exchangeMultiplier: count
})

export const configAuction = object("ConfigAuction", "Constants of the auction contract", {
  blocksPerSlot: count,
  initialMinimalBidding: documented(bigInt, "Units of the governance token"),
  genesisBlockNum: documented(ethBlockNum, "First block of slot 0"),
  governanceToken: ethereumAddress,
  rollupAddress: ethereumAddress,
  governanceAddress: ethereumAddress
})

export const configWithdrawalDelayer = object(
  "ConfigWithdrawalDelayer",
  "Constants of the withdrawal delayer contract",
  {
    maxWithdrawalDelay: documented(count, "Seconds"),
    maxEmergencyModeTime: documented(count, "Seconds"),
    rollupAddress: ethereumAddress
  }
)

export const config = object("Config", "Constants of the network", {
  rollup: rollupConstants,
  auction: configAuction,
  withdrawalDelayer: configWithdrawalDelayer
})

export const configShape = shape(config, ({ rollup, ...constants }: NetworkConstants) => ({
  ...constants,
  rollup: { publicConstants: rollup, ...protocol },
  chainId: null
}))
