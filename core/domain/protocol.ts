/**
 * Constants of the protocol, the same on every network (domain §1.12; sizes are those of float40
 * amounts).
 */
export const protocol = {
  /** Tokens in which a batch can collect fees. */
  maxFeeIdxCoordinator: 64,
  reservedIdx: 255,
  exitIdx: 1,
  /** Deposits stay below. */
  limitDepositAmount: 1n << 128n,
  limitL2TransferAmount: 1n << 192n,
  limitTokens: 4294967296,
  l1CoordinatorTotalBytes: 101,
  l1UserTotalBytes: 78,
  /** L1 user transactions of a queue. */
  maxL1UserTx: 128,
  /** L1 transactions of a batch, those of users and of the coordinator together. */
  maxL1Tx: 256,
  inputSHAConstantBytes: 18546,
  numBuckets: 5,
  /** Seconds. */
  maxWithdrawalDelay: 1209600,
  exchangeMultiplier: 100000000000000
} as const
