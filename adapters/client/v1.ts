/* Written from the declarations of the contract by `npm run generate`: do not edit. */

import type { JsonText, NoParameters, Paging } from "./parameters.ts"
import type {
  Account, AccountCreationAuthorization, AccountCreationAuthorizationPost, Accounts, AccountsQuery, BatchesQuery, BidsQuery, Coordinator,
  Coordinators, ExitsQuery, L2Info, MerkleProof, NextForger, RecommendedFee, Token, Tokens, Verifier
} from "./later.ts"

// the same in revision "later"
export type {
  Account, AccountCreationAuthorization, AccountCreationAuthorizationPost, Accounts, AccountsQuery, BatchesQuery, BidsQuery, Coordinator,
  Coordinators, ExitsQuery, L2Info, MerkleProof, NextForger, Period, RecommendedFee, Token, Tokens, Verifier
} from "./later.ts"

/** Leaf of an exit tree, with its withdrawal data. */
export interface Exit {
  /** Number of a batch; the first one is 1. */
  readonly batchNum: number
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly accountIndex: string
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  readonly merkleProof: MerkleProof
  /** Units that the account exits with. */
  readonly balance: string
  /** Ethereum block of the instant withdrawal. */
  readonly instantWithdraw: bigint | null
  /** Ethereum block in which the withdrawal went to the delayer. */
  readonly delayedWithdrawRequest: bigint | null
  /** Ethereum block in which the delayed withdrawal was collected. */
  readonly delayedWithdraw: bigint | null
  readonly token: Token
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly bjj: string
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly zkEthereumAddress: string
}

/** Page of exits. */
export interface Exits {
  readonly exits: ReadonlyArray<Exit>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** L2 transaction waiting in the pool, as its sender signed it. */
export interface PoolL2Transaction {
  /** Identifier of a transaction. */
  readonly id: string
  /** Type of L2 transaction. */
  readonly type: "Exit" | "Transfer" | "TransferToEthAddr" | "TransferToBJJ"
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly fromAccountIndex: string
  /** Owner of the sender's account when the transaction was posted. */
  readonly fromZkEthereumAddress: string | null
  /** Key that signed it, of the sender's account. */
  readonly fromBJJ: string | null
  /** Account: prefix, token symbol and index; index 0 for an address or a key, 1 is the exit. */
  readonly toAccountIndex: string
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly toZkEthereumAddress: string | null
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly toBjj: string | null
  /** Units of the token. */
  readonly amount: string
  /** Index into the table of fee factors. */
  readonly fee: number
  /** Number of transactions that the account has sent. */
  readonly nonce: bigint
  /** pend: pending, fing: forging, fged: forged, invl: invalid. */
  readonly state: "pend" | "fing" | "fged" | "invl"
  /** Compressed BabyJubJub signature: R8, then S. */
  readonly signature: string
  /** When the transaction entered the pool. */
  readonly timestamp: string
  /** Batch that forges or forged it, or since which it is invalid; null while it is pending. */
  readonly batchNum: number | null
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly requestFromAccountIndex: string | null
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly requestToAccountIndex: string | null
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly requestToZkEthereumAddress: string | null
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly requestToBJJ: string | null
  /** Identifier of a registered token; 0 is ether. */
  readonly requestTokenId: number | null
  /** An integer of any size, as a decimal string. */
  readonly requestAmount: string | null
  /** Index into the table of fee factors. */
  readonly requestFee: number | null
  /** Number of transactions that the account has sent. */
  readonly requestNonce: bigint | null
  readonly token: Token
  /** Increases with every transaction that enters the pool. */
  readonly itemId: number
  /** Why the last selection skipped it, or why it is invalid; null if the reason is gone. */
  readonly info: string | null
  /** Number of the reason of the last selection. */
  readonly errorCode: number | null
  /** Name of the reason of the last selection. */
  readonly errorType: string | null
  /** The same as toBjj. */
  readonly toBJJ: string | null
  /** Last batch that may forge it; 0 means without limit. */
  readonly maxNumBatch: number
  /** Position of the required transaction in the group; 0 if there is no group. */
  readonly requestOffset: number
}

/** Properties of L1 transactions. */
export interface L1Info {
  /** Queue of the transaction; null if a coordinator sent it. */
  readonly toForgeL1TransactionsNum: number | null
  /** Whether a user sent it, not a coordinator. */
  readonly userOrigin: boolean
  /** Units that move from L1 to L2. */
  readonly depositAmount: string
  /** Whether the amount took effect; false until forged. */
  readonly amountSuccess: boolean
  /** Whether the deposit took effect; false until forged. */
  readonly depositAmountSuccess: boolean
  /** Worth of the deposit when the transaction was made. */
  readonly historicDepositAmountUSD: number | null
  /** Block in which the transaction entered the queue. */
  readonly ethereumBlockNum: bigint
  /** Ethereum transaction that queued it or forged it; zero if unknown. */
  readonly ethereumTxHash: string
  /** Fee of that Ethereum transaction in wei; null if unknown. */
  readonly l1Fee: string | null
}

/** Transaction of the network. */
export interface HistoryTransaction {
  readonly L1orL2: "L1" | "L2"
  /** Identifier of a transaction. */
  readonly id: string
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  /** Type of transaction. */
  readonly type: "Exit" | "Transfer" | "Deposit" | "CreateAccountDeposit" | "CreateAccountDepositTransfer" | "DepositTransfer" | "ForceTransfer" | "ForceExit" | "TransferToEthAddr" | "TransferToBJJ"
  /** Position of the transaction in its batch; in its queue for an L1 user transaction. */
  readonly position: number
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly fromAccountIndex: string | null
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly fromZkEthereumAddress: string | null
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly fromBJJ: string | null
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly toAccountIndex: string
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly toZkEthereumAddress: string | null
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly toBJJ: string | null
  /** Units of the token. */
  readonly amount: string
  /** Batch that forged it; null until then. */
  readonly batchNum: number | null
  /** Worth of the amount when the transaction was made. */
  readonly historicUSD: number | null
  /** L1 user transaction: when it entered the queue; otherwise when it was forged. */
  readonly timestamp: string
  readonly token: Token
  readonly L1Info: L1Info | null
  readonly L2Info: L2Info | null
}

/** Page of transactions. */
export interface HistoryTransactions {
  readonly transactions: ReadonlyArray<HistoryTransaction>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `transactions`, which are ordered by batch number, then position. */
export interface HistoryTransactionsQuery extends Paging {
  /** Only items of this account, as sender or receiver; not together with fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ, tokenId. */
  readonly accountIndex?: string
  /** Only items of accounts that this Ethereum address owns, as sender or receiver; not together with accountIndex, fromAccountIndex, toAccountIndex, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly zkEthereumAddress?: string
  /** Only items of accounts of this BabyJubJub key, as sender or receiver; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, fromBJJ, toBJJ. */
  readonly BJJ?: string
  /** Only items of this token; not together with accountIndex, fromAccountIndex, toAccountIndex. */
  readonly tokenId?: number
  /** Only items of this batch. */
  readonly batchNum?: number
  /** Only transactions of this type. */
  readonly type?: "Exit" | "Transfer" | "Deposit" | "CreateAccountDeposit" | "CreateAccountDepositTransfer" | "DepositTransfer" | "ForceTransfer" | "ForceExit" | "TransferToEthAddr" | "TransferToBJJ"
  /** Only transactions that this account sends; not together with accountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ, tokenId. */
  readonly fromAccountIndex?: string
  /** Only transactions that this account receives; not together with accountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ, tokenId. */
  readonly toAccountIndex?: string
  /** Only transactions that an account of this Ethereum address sends; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly fromZkEthereumAddress?: string
  /** Only transactions that an account of this Ethereum address receives; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly toZkEthereumAddress?: string
  /** Only transactions that an account of this BabyJubJub key sends; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ. */
  readonly fromBJJ?: string
  /** Only transactions that an account of this BabyJubJub key receives; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ. */
  readonly toBJJ?: string
  /** If true, also L1 user transactions that wait in a queue. */
  readonly includePendingL1s?: boolean
}

/** Group of transactions forged together. */
export interface Batch {
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  /** Number of a batch; the first one is 1. */
  readonly batchNum: number
  /** Ethereum block number. */
  readonly ethereumBlockNum: bigint
  /** Hash of an Ethereum block. */
  readonly ethereumBlockHash: string
  /** Time of the Ethereum block. */
  readonly timestamp: string
  /** Ethereum address. */
  readonly forgerAddr: string
  /** Units collected, by token identifier: at most 64. */
  readonly collectedFees: { readonly [key: string]: string }
  /** Worth of the fees when the batch was forged. */
  readonly historicTotalCollectedFeesUSD: number
  /** An integer of any size, as a decimal string. */
  readonly stateRoot: string
  /** Accounts created in this batch. */
  readonly numAccounts: number
  /** An integer of any size, as a decimal string. */
  readonly exitRoot: string
  /** Queue of L1 user transactions that this batch forged. */
  readonly forgeL1TransactionsNum: number | null
  /** Number of a slot. */
  readonly slotNum: number
  /** Number of transactions. */
  readonly forgedTransactions: number
  /** Ethereum transaction that forged the batch; zero if unknown. */
  readonly ethereumTxHash: string
}

/** Page of batches. */
export interface Batches {
  readonly batches: ReadonlyArray<Batch>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** Batch with all its transactions. */
export interface FullBatch {
  readonly batch: Batch
  /** Ascending by position. */
  readonly transactions: ReadonlyArray<HistoryTransaction>
}

/** Bid for the right to forge in a slot. */
export interface Bid {
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  /** Ethereum address. */
  readonly bidderAddr: string
  /** Ethereum address. */
  readonly forgerAddr: string
  /** Number of a slot. */
  readonly slotNum: number
  /** URL of the coordinator. */
  readonly URL: string
  /** Units of the governance token. */
  readonly bidValue: string
  /** Ethereum block number. */
  readonly ethereumBlockNum: bigint
  readonly timestamp: string
}

/** Period of blocks in which one coordinator forges. */
export interface Slot {
  /** Equals slotNum. */
  readonly itemId: number
  /** Number of a slot. */
  readonly slotNum: number
  /** Ethereum block number. */
  readonly firstBlock: bigint
  /** Ethereum block number. */
  readonly lastBlock: bigint
  /** Whether bids are accepted. */
  readonly openAuction: boolean
  /** Highest bid so far, also one below the minimum. */
  readonly bestBid: Bid | null
}

/** Page of slots. */
export interface Slots {
  readonly slots: ReadonlyArray<Slot>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `slots`, which are ordered by slot number. */
export interface SlotsQuery extends Paging {
  /** First slot; 0 by default. */
  readonly minSlotNum?: number
  /** Last slot; by default the last one whose auction is open. */
  readonly maxSlotNum?: number
  /** Only slots whose best bid so far is of this bidder: also if the auction is open, or if the bid is below the minimum and does not win. */
  readonly wonByEthereumAddress?: string
  /** If true, only slots whose auction is closed. */
  readonly finishedAuction?: boolean
}

/** Page of bids. */
export interface Bids {
  readonly bids: ReadonlyArray<Bid>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** Progress of the network. */
export interface StateNetwork {
  /** Newest block of the chain. */
  readonly lastEthereumBlock: bigint
  /** Newest block up to which this node is synchronised. */
  readonly lastSynchedBlock: bigint
  /** Null before the first batch. */
  readonly lastBatch: Batch | null
  /** Number of a slot. */
  readonly currentSlot: number
  readonly nextForgers: ReadonlyArray<NextForger>
  /** L1 user transactions in queues. */
  readonly pendingL1Transactions: number
}

/** Averages over the batches of a window that ends at the last block: 24 hours, or since the genesis block if that is less. */
export interface Metrics {
  /** Transactions divided by batches; 0: unknown, the window has no batch. */
  readonly transactionsPerBatch: number
  /** Seconds from the first to the last batch, divided by the number of batches less one; 0: unknown, the window has fewer than two batches. */
  readonly batchFrequency: number
  /** Transactions divided by the seconds of the window; 0: unknown if the window has no batch. */
  readonly transactionsPerSecond: number
  readonly tokenAccounts: number
  /** Distinct BabyJubJub keys. */
  readonly wallets: number
  /** US dollars for each L2 transaction; 0: unknown if the window has none. */
  readonly avgTransactionFee: number
  /** Seconds from queueing an L1 user transaction to its batch. */
  readonly estimatedTimeToForgeL1: number
}

/** Limit of instant withdrawals of one size. */
export interface Bucket {
  /** Greatest withdrawal, in US dollars. */
  readonly ceilUSD: string
  /** Withdrawals that were left after the last change. */
  readonly withdrawals: string
  /** An integer of any size, as a decimal string. */
  readonly maxWithdrawals: string
  /** Block of the last change. */
  readonly blockStamp: string
  /** Blocks after which rateWithdrawals more are allowed. */
  readonly rateBlocks: string
  /** An integer of any size, as a decimal string. */
  readonly rateWithdrawals: string
}

/** Variables of the rollup contract. */
export interface StateRollup {
  /** Block of the last change. */
  readonly ethereumBlockNum: bigint
  /** Blocks. */
  readonly forgeL1L2BatchTimeout: number
  /** Units of the governance token. */
  readonly feeAddToken: string
  /** Seconds. */
  readonly withdrawalDelay: number
  readonly buckets: ReadonlyArray<Bucket>
}

/** Variables of the auction contract. */
export interface StateAuction {
  /** Block of the last change. */
  readonly ethereumBlockNum: bigint
  /** Forges slots without a winning bid. */
  readonly bootCoordinator: string
  readonly bootCoordinatorUrl: string
  /** Blocks from the start of a slot after which any coordinator may forge. */
  readonly slotDeadline: number
  /** Number of slots after the current one that are closed for bids. */
  readonly closedAuctionSlots: number
  /** Number of slots after the closed ones that are open for bids. */
  readonly openAuctionSlots: number
  /** Minimum bid, by slot number modulo 6. */
  readonly defaultSlotSetBid: ReadonlyArray<string>
  /** By how much a bid must exceed the previous one: percentage times 100. */
  readonly outbidding: number
  /** Ethereum address. */
  readonly donationAddress: string
  /** Burned, donated, to governance: percentage times 100. */
  readonly allocationRatio: ReadonlyArray<number>
  /** First slot of defaultSlotSetBid. */
  readonly defaultSlotSetBidSlotNum: number
}

/** Variables of the withdrawal delayer contract. */
export interface StateWithdrawalDelayer {
  /** Block of the last change. */
  readonly ethereumBlockNum: bigint
  /** Ethereum address. */
  readonly hermezGovernanceAddress: string
  /** Ethereum address. */
  readonly emergencyCouncilAddress: string
  /** Seconds. */
  readonly withdrawalDelay: number
  /** Ethereum block number. */
  readonly emergencyModeStartingBlock: bigint
  readonly emergencyMode: boolean
}

/** What the node adds to the state of the network. */
export interface StateNode {
  /** Seconds that the coordinator waits between two batches. */
  readonly forgeDelay: number
  /** Pending transactions in the pool. */
  readonly poolLoad: number
}

/** Current state of the network. */
export interface State {
  readonly network: StateNetwork
  readonly metrics: Metrics
  readonly rollup: StateRollup
  readonly auction: StateAuction
  readonly withdrawalDelayer: StateWithdrawalDelayer
  readonly recommendedFee: RecommendedFee
  readonly node: StateNode
}

/** Constants of the deployed rollup contract. */
export interface RollupPublicConstants {
  /** Ethereum address. */
  readonly tokenHEZ: string
  /** Blocks. */
  readonly absoluteMaxL1L2BatchTimeout: number
  readonly verifiers: ReadonlyArray<Verifier>
  /** Ethereum address. */
  readonly hermezAuctionContract: string
  /** Ethereum address. */
  readonly hermezGovernanceAddress: string
  /** Ethereum address. */
  readonly withdrawDelayerContract: string
}

/** Constants of the rollup. */
export interface ConfigRollup {
  readonly publicConstants: RollupPublicConstants
  /** Tokens in which a batch can collect fees. */
  readonly maxFeeIdxCoordinator: number
  /** Last reserved account index. */
  readonly reservedIdx: number
  /** Account index of the exit. */
  readonly exitIdx: number
  /** Deposits stay below. */
  readonly limitDepositAmount: bigint
  /** Transfers stay below. */
  readonly limitL2TransferAmount: bigint
  readonly limitTokens: number
  readonly l1CoordinatorTotalBytes: number
  readonly l1UserTotalBytes: number
  readonly maxL1UserTx: number
  readonly maxL1Tx: number
  readonly inputSHAConstantBytes: number
  readonly numBuckets: number
  /** Seconds. */
  readonly maxWithdrawalDelay: number
  readonly exchangeMultiplier: number
}

/** Constants of the auction contract. */
export interface ConfigAuction {
  readonly blocksPerSlot: number
  /** Units of the governance token. */
  readonly initialMinimalBidding: bigint
  /** First block of slot 0. */
  readonly genesisBlockNum: bigint
  /** Ethereum address. */
  readonly tokenHEZ: string
  /** Ethereum address. */
  readonly hermezRollup: string
  /** Ethereum address. */
  readonly governanceAddress: string
}

/** Constants of the withdrawal delayer contract. */
export interface ConfigWithdrawalDelayer {
  /** Seconds. */
  readonly maxWithdrawalDelay: number
  /** Seconds. */
  readonly maxEmergencyModeTime: number
  /** Ethereum address. */
  readonly hermezRollup: string
}

/** Constants of the network. */
export interface Config {
  readonly hermez: ConfigRollup
  readonly auction: ConfigAuction
  readonly withdrawalDelayer: ConfigWithdrawalDelayer
  /** Identifier of the Ethereum chain. */
  readonly chainId: number
}

/** The parameters of `tokens`, which are ordered by token identifier. */
export interface TokensQuery extends Paging {
  /** Only these tokens: token identifiers separated by commas. */
  readonly ids?: ReadonlyArray<number>
  /** Only tokens with these symbols, separated by commas. */
  readonly symbols?: ReadonlyArray<string>
  /** Only tokens whose name contains this text, with the same case. */
  readonly name?: string
  /** Only tokens with these contract addresses, separated by commas. */
  readonly addresses?: ReadonlyArray<string>
}

/** The parameters of `coordinators`, which are ordered by block of the registration, then forger address. */
export interface CoordinatorsQuery extends Paging {
  /** Only the latest registration of this bidder. */
  readonly bidderAddr?: string
  /** Only the latest registrations of bidders, of those that name this forger. */
  readonly forgerAddr?: string
}

/** Page of transactions. */
export interface PoolTransactions {
  readonly transactions: ReadonlyArray<PoolL2Transaction>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `transactions`, which are ordered by order of arrival in the pool. */
export interface PoolTransactionsQuery extends Paging {
  /** Only transactions in this state; without it, only those that are pending or forging. */
  readonly state?: "pend" | "fing" | "fged" | "invl"
  /** Only transactions of this type. */
  readonly type?: "Exit" | "Transfer" | "TransferToEthAddr" | "TransferToBJJ"
  /** Only transactions of this token. */
  readonly tokenId?: number
  /** Only transactions of this account, as sender or receiver; not together with fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly accountIndex?: string
  /** Only transactions that this account sends; not together with accountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly fromAccountIndex?: string
  /** Only transactions that this account receives; 1 for exits; not together with accountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly toAccountIndex?: string
  /** Only transactions of accounts that this Ethereum address owns, as sender or receiver. Not the address of all F, which every internal account has; not together with accountIndex, fromAccountIndex, toAccountIndex, fromZkEthereumAddress, toZkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly zkEthereumAddress?: string
  /** Only transactions that an account of this Ethereum address sends. Not the address of all F, which every internal account has; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly fromZkEthereumAddress?: string
  /** Only transactions to this Ethereum address or to one of its accounts. Not the address of all F, which every internal account has; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, BJJ, fromBJJ, toBJJ. */
  readonly toZkEthereumAddress?: string
  /** Only transactions of accounts of this BabyJubJub key, as sender or receiver; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, fromBJJ, toBJJ. */
  readonly BJJ?: string
  /** Only transactions that an account of this BabyJubJub key sends; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ. */
  readonly fromBJJ?: string
  /** Only transactions to this BabyJubJub key or to one of its accounts; not together with accountIndex, fromAccountIndex, toAccountIndex, zkEthereumAddress, fromZkEthereumAddress, toZkEthereumAddress, BJJ. */
  readonly toBJJ?: string
}

/** The transactions of an atomic group, in their order. */
export type AtomicGroup = ReadonlyArray<PoolL2Transaction>

/** Whether a store answers. */
export interface StoreHealth {
  readonly status: "UP" | "DOWN"
  /** Name and version of its software. */
  readonly version: string
  /** Last applied migration; null if the store has none. */
  readonly last_migration: string | null
}

/** Whether the node can answer. */
export interface Health {
  readonly status: "UP" | "DOWN"
  /** Version of the program. */
  readonly version: string
  readonly timestamp: string
  /** The store of the ledger. */
  readonly historyDB: StoreHealth
  /** The store of the pool. */
  readonly l2DB: StoreHealth
}

/** The price of a currency. */
export interface Currency {
  /** Code of a currency by ISO 4217. */
  readonly currency: string
  /** Always the US dollar. */
  readonly baseCurrency: "USD"
  /** Units of the currency that one US dollar buys: 0.84 euros, for example. */
  readonly price: number
  /** Time of this price. */
  readonly lastUpdate: string
}

/** List of currencies. */
export interface Currencies {
  readonly currencies: ReadonlyArray<Currency>
}

/** The parameters of `currencies`, which are ordered by currency code. */
export interface CurrenciesQuery {
  /** Only these currencies: codes separated by commas or bars; those without a price are left out. */
  readonly symbols?: ReadonlyArray<string>
  /** The currency of the prices, which is always the US dollar. */
  readonly base?: "USD"
}

/** L2 transaction as its sender signed it. It goes to an account (index from 256 on), to the exit (index 1), to an Ethereum address, or to a key alone (with the address of all F). A requested transaction has at least sender, token, amount, fee and nonce. The symbol in the index of an account has no meaning. */
export interface PostPoolL2Transaction {
  /** Recomputed from sender, token, amount, nonce and fee. */
  readonly id: string
  /** Type of the transaction; must match the destination. */
  readonly type: "Exit" | "Transfer" | "TransferToEthAddr" | "TransferToBJJ"
  /** Token of the sender's account. */
  readonly tokenId: number
  /** Account of the sender. */
  readonly fromAccountIndex: string
  /** Account of the receiver, or the exit. */
  readonly toAccountIndex?: string | null
  /** Receiver by Ethereum address; all F with a key. Beside an account index, the address that owns the account; it is then part of the signed message. */
  readonly toZkEthereumAddress?: string | null
  /** Receiver by BabyJubJub key. */
  readonly toBjj?: string | null
  /** Units of the token, as many as 40 bits of floating point hold exactly. */
  readonly amount: string
  /** Index into the table of fee factors; 256 is refused, since it does not fit into the byte that is signed. */
  readonly fee: number
  /** Number of transactions that the sender has sent; from 2^40 on it cannot be signed. */
  readonly nonce: number | bigint
  /** Compressed BabyJubJub signature of the sender. */
  readonly signature: string
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestFromAccountIndex?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestToAccountIndex?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestToZkEthereumAddress?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestToBjj?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestTokenId?: number | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestAmount?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestFee?: number | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestNonce?: number | bigint | null
  /** Last batch that may forge it; 0 means without limit. */
  readonly maxNumBatch?: number | null
  /** Only 0: a transaction of an atomic group is posted with its group. */
  readonly requestOffset?: number | null
}

/** L2 transaction as its sender signed it. It goes to an account (index from 256 on), to the exit (index 1), to an Ethereum address, or to a key alone (with the address of all F). A requested transaction has at least sender, token, amount, fee and nonce. The symbol in the index of an account has no meaning. */
export interface PutPoolL2Transaction {
  /** Recomputed from sender, token, amount, nonce and fee. */
  readonly id: string
  /** Type of the transaction; must match the destination. */
  readonly type: "Exit" | "Transfer" | "TransferToEthAddr" | "TransferToBJJ"
  /** Token of the sender's account. */
  readonly tokenId: number
  /** Account of the sender. */
  readonly fromAccountIndex: string
  /** Account of the receiver, or the exit. */
  readonly toAccountIndex?: string | null
  /** Receiver by Ethereum address; all F with a key. Beside an account index, the address that owns the account; it is then part of the signed message. */
  readonly toZkEthereumAddress?: string | null
  /** Receiver by BabyJubJub key. */
  readonly toBjj?: string | null
  /** Units of the token, as many as 40 bits of floating point hold exactly. */
  readonly amount: string
  /** Index into the table of fee factors; 256 is refused, since it does not fit into the byte that is signed. */
  readonly fee: number
  /** Number of transactions that the sender has sent; from 2^40 on it cannot be signed. */
  readonly nonce: number | bigint
  /** Compressed BabyJubJub signature of the sender. */
  readonly signature: string
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestFromAccountIndex?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestToAccountIndex?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestToZkEthereumAddress?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestToBjj?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestTokenId?: number | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestAmount?: string | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestFee?: number | null
  /** Only null: a transaction that requires another one is posted with it, as a group. */
  readonly requestNonce?: number | bigint | null
  /** Last batch that may forge it; 0 means without limit. */
  readonly maxNumBatch?: number | null
  /** Only 0: a transaction of an atomic group is posted with its group. */
  readonly requestOffset?: number | null
  /** Only pend, the state of the transaction afterwards. */
  readonly state?: "pend" | "pend"
  /** Ignored. */
  readonly info?: string | null
}

/** L2 transaction as its sender signed it. It goes to an account (index from 256 on), to the exit (index 1), to an Ethereum address, or to a key alone (with the address of all F). A requested transaction has at least sender, token, amount, fee and nonce. The symbol in the index of an account has no meaning. */
export interface PostAtomicTransaction {
  /** Recomputed from sender, token, amount, nonce and fee. */
  readonly id: string
  /** Type of the transaction; must match the destination. */
  readonly type: "Exit" | "Transfer" | "TransferToEthAddr" | "TransferToBJJ"
  /** Token of the sender's account. */
  readonly tokenId: number
  /** Account of the sender. */
  readonly fromAccountIndex: string
  /** Account of the receiver, or the exit. */
  readonly toAccountIndex?: string | null
  /** Receiver by Ethereum address; all F with a key. Beside an account index, the address that owns the account; it is then part of the signed message. */
  readonly toZkEthereumAddress?: string | null
  /** Receiver by BabyJubJub key. */
  readonly toBjj?: string | null
  /** Units of the token, as many as 40 bits of floating point hold exactly. */
  readonly amount: string
  /** Index into the table of fee factors; 256 is refused, since it does not fit into the byte that is signed. */
  readonly fee: number
  /** Number of transactions that the sender has sent; from 2^40 on it cannot be signed. */
  readonly nonce: number | bigint
  /** Compressed BabyJubJub signature of the sender. */
  readonly signature: string
  /** Sender of the transaction that must be forged in the same batch. */
  readonly requestFromAccountIndex?: string | null
  /** Receiver of it. */
  readonly requestToAccountIndex?: string | null
  /** Receiver of it by Ethereum address. */
  readonly requestToZkEthereumAddress?: string | null
  /** Receiver of it by key. */
  readonly requestToBjj?: string | null
  /** Token of it. */
  readonly requestTokenId?: number | null
  /** Amount of it. */
  readonly requestAmount?: string | null
  /** Fee of it; 256 is refused. */
  readonly requestFee?: number | null
  /** Nonce of it. */
  readonly requestNonce?: number | bigint | null
  /** Last batch that may forge it; 0 means without limit. */
  readonly maxNumBatch?: number | null
  /** Position of the required transaction: 1 to 3 for as many positions later, 4 to 7 for 4 to 1 positions earlier. */
  readonly requestOffset: number
}

/** Transactions that are forged in one batch, in this order, or never. Each requires another one: requestOffset names its position, and the request properties are those of that transaction, or left out of all transactions. All are connected by these requirements. */
export interface PostAtomicGroup {
  /** Keccak-256 hash of the identifiers of the transactions. */
  readonly atomicGroupId: string
  /** The transactions, at least two. */
  readonly transactions: ReadonlyArray<PostAtomicTransaction>
}

/** The parameters and the answer of each operation. */
export interface Operations {
  /** Authorization to create accounts for a key: `GET /account-creation-authorization/{zkEthereumAddress}`. */
  readonly getAccountCreationAuthorization: { readonly takes: { readonly zkEthereumAddress: string }, readonly answers: AccountCreationAuthorization }
  /** Accounts with their balances: `GET /accounts`. */
  readonly getAccounts: { readonly takes: AccountsQuery, readonly answers: Accounts, readonly item: Account }
  /** An account: `GET /accounts/{accountIndex}`. */
  readonly getAccount: { readonly takes: { readonly accountIndex: string }, readonly answers: Account }
  /** Exits with their withdrawal data: `GET /exits`. */
  readonly getExits: { readonly takes: ExitsQuery, readonly answers: Exits, readonly item: Exit }
  /** The exit of an account in a batch: `GET /exits/{batchNum}/{accountIndex}`. */
  readonly getExit: { readonly takes: { readonly batchNum: number, readonly accountIndex: string }, readonly answers: Exit }
  /** Pool transaction of this node: `GET /transactions-pool/{id}`. */
  readonly getPoolTx: { readonly takes: { readonly id: string }, readonly answers: PoolL2Transaction }
  /** Forged transactions: `GET /transactions-history`. */
  readonly getHistoryTxs: { readonly takes: HistoryTransactionsQuery, readonly answers: HistoryTransactions, readonly item: HistoryTransaction }
  /** A forged transaction, or an L1 transaction in its queue: `GET /transactions-history/{id}`. */
  readonly getHistoryTx: { readonly takes: { readonly id: string }, readonly answers: HistoryTransaction }
  /** Batches: `GET /batches`. */
  readonly getBatches: { readonly takes: BatchesQuery, readonly answers: Batches, readonly item: Batch }
  /** A batch: `GET /batches/{batchNum}`. */
  readonly getBatch: { readonly takes: { readonly batchNum: number }, readonly answers: Batch }
  /** A batch with all its transactions: `GET /full-batches/{batchNum}`. */
  readonly getFullBatch: { readonly takes: { readonly batchNum: number }, readonly answers: FullBatch }
  /** Slots, past and future: `GET /slots`. */
  readonly getSlots: { readonly takes: SlotsQuery, readonly answers: Slots, readonly item: Slot }
  /** A slot: `GET /slots/{slotNum}`. */
  readonly getSlot: { readonly takes: { readonly slotNum: number }, readonly answers: Slot }
  /** Bids of the slot auctions: `GET /bids`. */
  readonly getBids: { readonly takes: BidsQuery, readonly answers: Bids, readonly item: Bid }
  /** Current state of the network, with metrics: `GET /state`. */
  readonly getState: { readonly takes: NoParameters, readonly answers: State }
  /** Constants of the network: `GET /config`. */
  readonly getConfig: { readonly takes: NoParameters, readonly answers: Config }
  /** Registered tokens: `GET /tokens`. */
  readonly getTokens: { readonly takes: TokensQuery, readonly answers: Tokens, readonly item: Token }
  /** A token: `GET /tokens/{id}`. */
  readonly getToken: { readonly takes: { readonly id: number }, readonly answers: Token }
  /** Registrations of coordinators: `GET /coordinators`. */
  readonly getCoordinators: { readonly takes: CoordinatorsQuery, readonly answers: Coordinators, readonly item: Coordinator }
  /** The latest registration of a bidder: `GET /coordinators/{bidderAddr}`. */
  readonly getCoordinator: { readonly takes: { readonly bidderAddr: string }, readonly answers: Coordinator }
  /** Pool transactions of this node: `GET /transactions-pool`. */
  readonly getPoolTxs: { readonly takes: PoolTransactionsQuery, readonly answers: PoolTransactions, readonly item: PoolL2Transaction }
  /** Transactions of an atomic group of this node, in their order: `GET /atomic-pool/{id}`. */
  readonly getAtomicGroup: { readonly takes: { readonly id: string }, readonly answers: AtomicGroup }
  /** Whether the stores of this node answer: `GET /health`. */
  readonly getHealth: { readonly takes: NoParameters, readonly answers: Health }
  /** Prices of currencies: `GET /currencies`. */
  readonly getCurrencies: { readonly takes: CurrenciesQuery, readonly answers: Currencies }
  /** The price of a currency: `GET /currencies/{symbol}`. */
  readonly getCurrency: { readonly takes: { readonly symbol: string }, readonly answers: Currency }
  /** Submit an authorization to create accounts for a key: `POST /account-creation-authorization`. Repeating a post changes nothing and gets the same answer. */
  readonly postRegister: { readonly takes: AccountCreationAuthorizationPost | JsonText, readonly answers: { readonly success: string } }
  /** Submit a signed transaction: `POST /transactions-pool`. Repeating a post changes nothing and gets the same answer. */
  readonly postTx: { readonly takes: PostPoolL2Transaction | JsonText, readonly answers: string }
  /** Replace a pending or invalid transaction: `PUT /transactions-pool/{id}`. Repeating a replacement changes nothing and gets the same answer. */
  readonly putTx: { readonly takes: { readonly id: string, readonly body: PutPoolL2Transaction | JsonText }, readonly answers: string }
  /** Replace the pending or invalid transaction of an account with a nonce: `PUT /transactions-pool/accounts/{accountIndex}/nonces/{nonce}`. Repeating a replacement changes nothing and gets the same answer. */
  readonly putTxOfNonce: { readonly takes: { readonly accountIndex: string, readonly nonce: bigint, readonly body: PutPoolL2Transaction | JsonText }, readonly answers: string }
  /** Submit transactions that are forged together or never: `POST /atomic-pool`. Repeating a post changes nothing and gets the same answer. */
  readonly postAtomicGroup: { readonly takes: PostAtomicGroup | JsonText, readonly answers: ReadonlyArray<string> }
}
