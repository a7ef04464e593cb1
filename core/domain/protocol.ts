/**
 * Constants of the protocol, the same on every network (domain §1.12). The sizes in bytes are for
 * float40 amounts.
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
