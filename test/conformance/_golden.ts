/*
 * The objects of the contract, written by hand from the field tables of the domain reference and
 * the decisions of the design, independently of the code that writes the objects. Any other name,
 * type or null is a failure.
 */

export type Golden =
  | { readonly kind: "text"; readonly pattern: RegExp }
  | { readonly kind: "integer"; readonly maximum: bigint }
  | { readonly kind: "number" }
  | { readonly kind: "boolean" }
  | { readonly kind: "null or"; readonly of: Golden }
  | { readonly kind: "array"; readonly of: Golden; readonly length?: number }
  | { readonly kind: "map"; readonly of: Golden }
  | {
    readonly kind: "object"
    readonly name: string
    readonly properties: { readonly [name: string]: Golden }
  }

const text = (pattern: RegExp): Golden => ({ kind: "text", pattern })
const integer = (maximum: bigint): Golden => ({ kind: "integer", maximum })
const orNull = (of: Golden): Golden => ({ kind: "null or", of })
const array = (of: Golden, length?: number): Golden => ({
  kind: "array",
  of,
  ...(length === undefined ? {} : { length })
})
const object = (name: string, properties: { readonly [name: string]: Golden }): Golden => ({
  kind: "object",
  name,
  properties
})

const uint32 = integer(4294967295n)
const uint64 = integer(18446744073709551615n)
const safe = integer(9007199254740991n)
const bool: Golden = { kind: "boolean" }
const number: Golden = { kind: "number" }
const any = text(/^[\s\S]*$/u)
const bigInt = text(/^(0|[1-9]\d*)$/u)
const address = text(/^0x[0-9a-f]{40}$/u)
const dateTime = text(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/u)
const transactionId = text(/^0x0[012][0-9a-f]{64}$/u)

/** @param prefix the network's, which is part of identifiers and names */
export function golden(prefix: string, revision: "later" | "earlier" | "v1") {
  const v1 = revision === "v1"
  const later = revision !== "earlier"
  const inside = prefix.slice(0, 1).toUpperCase() + prefix.slice(1)
  const owner = text(new RegExp(`^${prefix}:0x[0-9a-fA-F]{40}$`, "u"))
  const key = text(new RegExp(`^${prefix}:[A-Za-z0-9_-]{44}$`, "u"))
  const account = text(new RegExp(`^${prefix}:.*:(0|[1-9]\\d*)$`, "u"))

  const token = object("Token", {
    id: uint32,
    ethereumAddress: address,
    itemId: safe,
    name: any,
    symbol: any,
    decimals: safe,
    ethereumBlockNum: uint64,
    USD: orNull(number),
    fiatUpdate: orNull(dateTime)
  })
  const accountObject = object("Account", {
    itemId: safe,
    accountIndex: account,
    nonce: uint64,
    balance: bigInt,
    bjj: key,
    [`${prefix}EthereumAddress`]: owner,
    token
  })
  const exit = object("Exit", {
    batchNum: uint32,
    accountIndex: account,
    itemId: safe,
    merkleProof: object("MerkleProof", {
      root: bigInt,
      siblings: array(bigInt),
      oldKey: bigInt,
      oldValue: bigInt,
      isOld0: bool,
      key: bigInt,
      value: bigInt,
      fnc: integer(3n)
    }),
    balance: bigInt,
    [v1 ? "instantWithdraw" : "instantWithdrawn"]: orNull(uint64),
    delayedWithdrawRequest: orNull(uint64),
    [v1 ? "delayedWithdraw" : "delayedWithdrawn"]: orNull(uint64),
    token,
    ...v1 ? { bjj: key, [`${prefix}EthereumAddress`]: owner } : {}
  })
  const l1Info = object("L1Info", {
    toForgeL1TransactionsNum: orNull(uint32),
    userOrigin: bool,
    ...later
      ? {
        depositAmount: bigInt,
        amountSuccess: bool,
        depositAmountSuccess: bool,
        historicDepositAmountUSD: orNull(number)
      }
      : { loadAmount: bigInt, historicLoadAmountUSD: orNull(number) },
    ethereumBlockNum: uint64,
    ...v1 ? { ethereumTxHash: text(/^0x[0-9a-f]{64}$/u), l1Fee: orNull(bigInt) } : {}
  })
  const transaction = object("HistoryTransaction", {
    L1orL2: text(/^L[12]$/u),
    id: transactionId,
    itemId: safe,
    type: text(
      /^(Exit|Transfer|Deposit|CreateAccountDeposit|CreateAccountDepositTransfer|DepositTransfer|ForceTransfer|ForceExit|TransferToEthAddr|TransferToBJJ)$/u
    ),
    position: safe,
    fromAccountIndex: orNull(account),
    [`from${inside}EthereumAddress`]: orNull(owner),
    fromBJJ: orNull(key),
    toAccountIndex: account,
    [`to${inside}EthereumAddress`]: orNull(owner),
    toBJJ: orNull(key),
    amount: bigInt,
    batchNum: orNull(uint32),
    historicUSD: orNull(number),
    timestamp: dateTime,
    token,
    L1Info: orNull(l1Info),
    L2Info: orNull(
      object("L2Info", { fee: integer(256n), historicFeeUSD: orNull(number), nonce: uint64 })
    )
  })
  const batch = object("Batch", {
    itemId: safe,
    batchNum: uint32,
    ethereumBlockNum: uint64,
    ethereumBlockHash: text(/^0x[0-9a-f]{64}$/u),
    timestamp: dateTime,
    forgerAddr: address,
    collectedFees: { kind: "map", of: bigInt },
    historicTotalCollectedFeesUSD: number,
    stateRoot: bigInt,
    numAccounts: safe,
    exitRoot: bigInt,
    forgeL1TransactionsNum: orNull(uint32),
    slotNum: uint32,
    ...v1 ? { forgedTransactions: safe, ethereumTxHash: text(/^0x[0-9a-f]{64}$/u) } : {}
  })
  const coordinator = object("Coordinator", {
    itemId: safe,
    forgerAddr: address,
    bidderAddr: address,
    URL: any,
    ethereumBlock: uint64
  })
  const bid = object("Bid", {
    itemId: safe,
    bidderAddr: address,
    forgerAddr: address,
    ...v1 ? {} : { withdrawAddr: address },
    slotNum: uint32,
    URL: any,
    bidValue: bigInt,
    ethereumBlockNum: uint64,
    timestamp: dateTime
  })
  const slot = object("Slot", {
    itemId: safe,
    slotNum: uint32,
    firstBlock: uint64,
    lastBlock: uint64,
    ...later
      ? { openAuction: bool, bestBid: orNull(bid) }
      : { closedAuction: bool, winner: orNull(coordinator) }
  })
  const pagination = object("PaginationInfo", {
    totalItems: safe,
    firstItem: orNull(safe),
    lastItem: orNull(safe)
  })
  const page = (name: string, wrapper: string, item: Golden) =>
    object(name, { [wrapper]: array(item), ...later ? { pendingItems: safe } : { pagination } })
  const nextForger = object("NextForger", {
    coordinator,
    period: object("Period", {
      ...later ? { slotNum: uint32 } : {},
      fromBlock: uint64,
      toBlock: uint64,
      fromTimestamp: dateTime,
      toTimestamp: dateTime
    })
  })
  const state = object("State", {
    network: object("StateNetwork", {
      ...later ? { lastEthereumBlock: uint64, lastSynchedBlock: uint64 } : { lastBlock: uint64 },
      lastBatch: orNull(batch),
      currentSlot: uint32,
      nextForgers: later
        ? array(nextForger)
        : object("NextForgers", { nextForgers: array(nextForger), pagination }),
      ...v1 ? { pendingL1Transactions: safe } : {}
    }),
    metrics: object("Metrics", {
      transactionsPerBatch: number,
      batchFrequency: number,
      transactionsPerSecond: number,
      [v1 ? "tokenAccounts" : "totalAccounts"]: safe,
      [v1 ? "wallets" : "totalBJJs"]: safe,
      avgTransactionFee: number,
      ...v1 ? { estimatedTimeToForgeL1: number } : {}
    }),
    rollup: object("StateRollup", {
      ...later ? { ethereumBlockNum: uint64 } : {},
      forgeL1L2BatchTimeout: safe,
      feeAddToken: bigInt,
      withdrawalDelay: safe,
      buckets: array(object("Bucket", {
        ceilUSD: bigInt,
        ...v1
          ? {
            blockStamp: bigInt,
            withdrawals: bigInt,
            rateBlocks: bigInt,
            rateWithdrawals: bigInt,
            maxWithdrawals: bigInt
          }
          : {
            ...later ? {} : { blockStamp: uint64 },
            withdrawals: uint64,
            blockWithdrawalRate: uint64,
            maxWithdrawals: uint64
          }
      }))
    }),
    auction: object("StateAuction", {
      ...later ? { ethereumBlockNum: uint64, bootCoordinatorUrl: any } : {},
      bootCoordinator: address,
      slotDeadline: safe,
      closedAuctionSlots: safe,
      openAuctionSlots: safe,
      defaultSlotSetBid: array(bigInt, 6),
      ...v1 ? { defaultSlotSetBidSlotNum: uint32 } : {},
      outbidding: safe,
      donationAddress: address,
      allocationRatio: array(safe, 3)
    }),
    withdrawalDelayer: object("StateWithdrawalDelayer", {
      ...later
        ? {
          ethereumBlockNum: uint64,
          [v1 ? "hermezGovernanceAddress" : "governanceAddress"]: address,
          emergencyCouncilAddress: address,
          emergencyModeStartingBlock: uint64
        }
        : {
          rollupAddress: address,
          governanceDAOAddress: address,
          whiteHackGroupAddress: address,
          keeperAddress: address,
          emergencyModeStartingTime: safe
        },
      withdrawalDelay: safe,
      emergencyMode: bool
    }),
    recommendedFee: object("RecommendedFee", {
      existingAccount: number,
      createAccount: number,
      createAccountInternal: number
    }),
    ...v1 ? { node: object("StateNode", { forgeDelay: number, poolLoad: safe }) } : {}
  })
  const governanceToken = v1 ? "tokenHEZ" : "governanceToken"
  const rollupAddress = v1 ? "hermezRollup" : "rollupAddress"
  const large = v1 ? integer(10n ** 78n - 1n) : bigInt
  const config = object("Config", {
    ...v1 ? { chainId: safe } : {},
    [v1 ? "hermez" : "rollup"]: object("ConfigRollup", {
      publicConstants: object("PublicConstants", {
        [governanceToken]: address,
        absoluteMaxL1L2BatchTimeout: safe,
        verifiers: array(object("Verifier", { maxTx: safe, nlevels: safe })),
        [v1 ? "hermezAuctionContract" : "auctionAddress"]: address,
        [v1 ? "withdrawDelayerContract" : "withdrawalDelayerAddress"]: address,
        ...later
          ? { [v1 ? "hermezGovernanceAddress" : "governanceAddress"]: address }
          : { governanceDAOAddress: address, safetyAddress: address }
      }),
      maxFeeIdxCoordinator: safe,
      reservedIdx: safe,
      exitIdx: safe,
      [later ? "limitDepositAmount" : "limitLoadAmount"]: large,
      limitL2TransferAmount: large,
      limitTokens: safe,
      l1CoordinatorTotalBytes: safe,
      l1UserTotalBytes: safe,
      maxL1UserTx: safe,
      maxL1Tx: safe,
      inputSHAConstantBytes: safe,
      numBuckets: safe,
      maxWithdrawalDelay: safe,
      exchangeMultiplier: safe
    }),
    auction: object("ConfigAuction", {
      blocksPerSlot: safe,
      initialMinimalBidding: large,
      genesisBlockNum: uint64,
      [governanceToken]: address,
      [rollupAddress]: address,
      governanceAddress: address
    }),
    withdrawalDelayer: object("ConfigWithdrawalDelayer", {
      maxWithdrawalDelay: safe,
      maxEmergencyModeTime: safe,
      [rollupAddress]: address
    })
  })
  // the names differ: toBjj, but requestToBJJ
  const poolTransaction = object("PoolL2Transaction", {
    id: transactionId,
    type: text(/^(Exit|Transfer|TransferToEthAddr|TransferToBJJ)$/u),
    fromAccountIndex: account,
    [`from${inside}EthereumAddress`]: orNull(owner),
    fromBJJ: orNull(key),
    toAccountIndex: v1 ? account : orNull(account),
    [`to${inside}EthereumAddress`]: orNull(owner),
    toBjj: orNull(key),
    ...v1 ? { toBJJ: orNull(key) } : {},
    amount: bigInt,
    fee: integer(256n),
    nonce: uint64,
    state: text(/^(pend|fing|fged|invl)$/u),
    signature: text(/^[0-9a-f]{128}$/u),
    timestamp: dateTime,
    batchNum: orNull(uint32),
    requestFromAccountIndex: orNull(account),
    requestToAccountIndex: orNull(account),
    [`requestTo${inside}EthereumAddress`]: orNull(owner),
    requestToBJJ: orNull(key),
    requestTokenId: orNull(uint32),
    requestAmount: orNull(bigInt),
    requestFee: orNull(integer(256n)),
    requestNonce: orNull(uint64),
    ...v1
      ? {
        maxNumBatch: uint32,
        itemId: safe,
        requestOffset: safe,
        info: orNull(any),
        errorCode: orNull(integer(18n)),
        errorType: orNull(text(/^Err\w+$/u))
      }
      : {},
    token
  })
  const authorization = object("AccountCreationAuthorization", {
    timestamp: dateTime,
    [`${prefix}EthereumAddress`]: owner,
    bjj: key,
    signature: text(/^0x[0-9a-f]{130}$/u)
  })
  const storeHealth = object("StoreHealth", {
    status: text(/^(UP|DOWN)$/u),
    version: any,
    last_migration: orNull(any)
  })
  const currency = object("Currency", {
    currency: text(/^[A-Z]{3}$/u),
    baseCurrency: text(/^USD$/u),
    price: number,
    lastUpdate: dateTime
  })
  return {
    getCurrencies: object("Currencies", { currencies: array(currency) }),
    getCurrency: currency,
    getHealth: object("Health", {
      status: text(/^(UP|DOWN)$/u),
      version: any,
      timestamp: dateTime,
      historyDB: storeHealth,
      l2DB: storeHealth
    }),
    getAccountCreationAuthorization: authorization,
    getAccounts: page("Accounts", "accounts", accountObject),
    getAccount: accountObject,
    getExits: page("Exits", "exits", exit),
    getExit: exit,
    getPoolTx: poolTransaction,
    getAtomicGroup: array(poolTransaction),
    getPoolTxs: page("PoolTransactions", "transactions", poolTransaction),
    getHistoryTxs: page("HistoryTransactions", "transactions", transaction),
    getHistoryTx: transaction,
    getBatches: page("Batches", "batches", batch),
    getBatch: batch,
    getFullBatch: object("FullBatch", { batch, transactions: array(transaction) }),
    getSlots: page("Slots", "slots", slot),
    getSlot: slot,
    getBids: page("Bids", "bids", bid),
    getState: state,
    getConfig: config,
    getTokens: page("Tokens", "tokens", token),
    getToken: token,
    getCoordinators: page("Coordinators", "coordinators", coordinator),
    getCoordinator: coordinator
  }
}
