import {
  type AuctionConstants,
  type NetworkConstants,
  protocol,
  type RollupConstants,
  type WithdrawalDelayerConstants
} from "../../domain/mod.ts"
import { bigInt, count, ethBlockNum, ethereumAddress } from "../scalars/mod.ts"
import { field, reference, type Shape, shape, arrayOf } from "../wire_type.ts"

const verifier = shape<RollupConstants["verifiers"][number]>(
  "Verifier",
  "Capacity of a proof verifier",
  {
    maxTx: field(count, (v) => v.maxTx),
    nlevels: field(count, (v) => v.nlevels, "Depth of the state tree")
  }
)

export const publicConstants = shape<RollupConstants>(
  "RollupPublicConstants",
  "Constants of the deployed rollup contract",
  {
    governanceToken: field(ethereumAddress, (c) => c.governanceToken),
    absoluteMaxL1L2BatchTimeout: field(count, (c) => c.absoluteMaxL1L2BatchTimeout, "Blocks"),
    verifiers: field(arrayOf(reference(verifier)), (c) => c.verifiers),
    auctionAddress: field(ethereumAddress, (c) => c.auctionAddress),
    governanceAddress: field(ethereumAddress, (c) => c.governanceAddress),
    withdrawalDelayerAddress: field(ethereumAddress, (c) => c.withdrawalDelayerAddress)
  }
)

export const configRollup = (constants: Shape<RollupConstants>) =>
  shape<RollupConstants>("ConfigRollup", "Constants of the rollup", {
    publicConstants: field(reference(constants), (c) => c),
    maxFeeIdxCoordinator: field(
      count,
      () => protocol.maxFeeIdxCoordinator,
      "Tokens in which a batch can collect fees"
    ),
    reservedIdx: field(count, () => protocol.reservedIdx, "Last reserved account index"),
    exitIdx: field(count, () => protocol.exitIdx, "Account index of the exit"),
    limitDepositAmount: field(bigInt, () => protocol.limitDepositAmount, "Deposits stay below"),
    limitL2TransferAmount: field(
      bigInt,
      () => protocol.limitL2TransferAmount,
      "Transfers stay below"
    ),
    limitTokens: field(count, () => protocol.limitTokens),
    l1CoordinatorTotalBytes: field(count, () => protocol.l1CoordinatorTotalBytes),
    l1UserTotalBytes: field(count, () => protocol.l1UserTotalBytes),
    maxL1UserTx: field(count, () => protocol.maxL1UserTx),
    maxL1Tx: field(count, () => protocol.maxL1Tx),
    inputSHAConstantBytes: field(count, () => protocol.inputSHAConstantBytes),
    numBuckets: field(count, () => protocol.numBuckets),
    maxWithdrawalDelay: field(count, () => protocol.maxWithdrawalDelay, "Seconds"),
    exchangeMultiplier: field(count, () => protocol.exchangeMultiplier)
  })

export const configAuction = shape<AuctionConstants>(
  "ConfigAuction",
  "Constants of the auction contract",
  {
    blocksPerSlot: field(count, (c) => c.blocksPerSlot),
    initialMinimalBidding: field(
      bigInt,
      (c) => c.initialMinimalBidding,
      "Units of the governance token"
    ),
    genesisBlockNum: field(ethBlockNum, (c) => c.genesisBlockNum, "First block of slot 0"),
    governanceToken: field(ethereumAddress, (c) => c.governanceToken),
    rollupAddress: field(ethereumAddress, (c) => c.rollupAddress),
    governanceAddress: field(ethereumAddress, (c) => c.governanceAddress)
  }
)

export const configWithdrawalDelayer = shape<WithdrawalDelayerConstants>(
  "ConfigWithdrawalDelayer",
  "Constants of the withdrawal delayer contract",
  {
    maxWithdrawalDelay: field(count, (c) => c.maxWithdrawalDelay, "Seconds"),
    maxEmergencyModeTime: field(count, (c) => c.maxEmergencyModeTime, "Seconds"),
    rollupAddress: field(ethereumAddress, (c) => c.rollupAddress)
  }
)

export const config = (rollup: Shape<RollupConstants>) =>
  shape<NetworkConstants>("Config", "Constants of the network", {
    rollup: field(reference(rollup), (c) => c.rollup),
    auction: field(reference(configAuction), (c) => c.auction),
    withdrawalDelayer: field(reference(configWithdrawalDelayer), (c) => c.withdrawalDelayer)
  })
