/* Written from the declarations of the contract by `npm run generate`: do not edit. */

import type { JsonText, NoParameters, Paging } from "./parameters.ts"
import type {
  Account, AccountCreationAuthorization, AccountCreationAuthorizationPost, AccountsQuery, Batch, BatchesQuery, Bid, ConfigAuction,
  ConfigWithdrawalDelayer, Coordinator, CoordinatorsQuery, Exit, HistoryTransactionsQuery, L2Info, Metrics, PoolL2Transaction,
  PostPoolL2Transaction, RecommendedFee, Token, TokensQuery, Verifier
} from "./later.ts"

// the same in revision "later"
export type {
  Account, AccountCreationAuthorization, AccountCreationAuthorizationPost, AccountsQuery, Batch, BatchesQuery, Bid, ConfigAuction,
  ConfigWithdrawalDelayer, Coordinator, CoordinatorsQuery, Exit, HistoryTransactionsQuery, L2Info, MerkleProof, Metrics, PoolL2Transaction,
  PostPoolL2Transaction, RecommendedFee, Token, TokensQuery, Verifier
} from "./later.ts"

/** All matching items, not only those of the page. */
export interface PaginationInfo {
  /** Number of items that match. */
  readonly totalItems: number
  /** Smallest itemId of them; null when nothing matches. */
  readonly firstItem: number | null
  /** Greatest itemId of them; null when nothing matches. */
  readonly lastItem: number | null
}

/** Page of accounts. */
export interface Accounts {
  readonly accounts: ReadonlyArray<Account>
  readonly pagination: PaginationInfo
}

/** Page of exits. */
export interface Exits {
  readonly exits: ReadonlyArray<Exit>
  readonly pagination: PaginationInfo
}

/** The parameters of `exits`, which are ordered by batch number, then account index. */
export interface ExitsQuery extends Paging {
  /** Only items of this account, as sender or receiver; not together with tokenId, zkEthereumAddress, BJJ. */
  readonly accountIndex?: string
  /** Only items of accounts that this Ethereum address owns, as sender or receiver; not together with accountIndex, BJJ. */
  readonly zkEthereumAddress?: string
  /** Only items of accounts of this BabyJubJub key, as sender or receiver; not together with accountIndex, zkEthereumAddress. */
  readonly BJJ?: string
  /** Only items of this token; not together with accountIndex. */
  readonly tokenId?: number
  /** Only items of this batch. */
  readonly batchNum?: number
}

/** Properties of L1 transactions. */
export interface L1Info {
  /** Queue of the transaction; null if a coordinator sent it. */
  readonly toForgeL1TransactionsNum: number | null
  /** Whether a user sent it, not a coordinator. */
  readonly userOrigin: boolean
  /** Units that move from L1 to L2. */
  readonly loadAmount: string
  /** Worth of the deposit when the transaction was made. */
  readonly historicLoadAmountUSD: number | null
  /** Block in which the transaction entered the queue. */
  readonly ethereumBlockNum: bigint
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
  readonly pagination: PaginationInfo
}

/** Page of batches. */
export interface Batches {
  readonly batches: ReadonlyArray<Batch>
  readonly pagination: PaginationInfo
}

/** Batch with all its transactions. */
export interface FullBatch {
  readonly batch: Batch
  /** Ascending by position. */
  readonly transactions: ReadonlyArray<HistoryTransaction>
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
  /** Whether the auction is closed. */
  readonly closedAuction: boolean
  /** Winner of the closed auction; null before, and if no bid won. */
  readonly winner: Coordinator | null
}

/** Page of slots. */
export interface Slots {
  readonly slots: ReadonlyArray<Slot>
  readonly pagination: PaginationInfo
}

/** The parameters of `slots`, which are ordered by slot number. */
export interface SlotsQuery extends Paging {
  /** First slot; 0 by default. */
  readonly minSlotNum?: number
  /** Last slot; by default the last one whose auction is open. */
  readonly maxSlothNum?: number
  /** Only slots whose auction is closed and was won by a bidder that is registered with this forger. */
  readonly wonByEthereumAddress?: string
  /** If true, only slots whose auction is closed. */
  readonly finishedAuction?: boolean
}

/** Page of bids. */
export interface Bids {
  readonly bids: ReadonlyArray<Bid>
  readonly pagination: PaginationInfo
}

/** The parameters of `bids`, which are ordered by time of the bid; within a slot, also its value. */
export interface BidsQuery extends Paging {
  /** Only items of this slot. */
  readonly slotNum?: number
  /** Only bids of bidders that are registered with this forger. */
  readonly forgerAddr?: string
}

/** When the coordinator may forge; times are estimates. */
export interface Period {
  /** Ethereum block number. */
  readonly fromBlock: bigint
  /** Ethereum block number. */
  readonly toBlock: bigint
  readonly fromTimestamp: string
  readonly toTimestamp: string
}

/** Coordinator that will forge, and when. */
export interface NextForger {
  readonly coordinator: Coordinator
  readonly period: Period
}

/** Coordinators that will forge, by slot. */
export interface NextForgers {
  readonly nextForgers: ReadonlyArray<NextForger>
  readonly pagination: PaginationInfo
}

/** Progress of the network. */
export interface StateNetwork {
  /** Newest block up to which this node is synchronised. */
  readonly lastBlock: bigint
  /** Null before the first batch. */
  readonly lastBatch: Batch | null
  /** Number of a slot. */
  readonly currentSlot: number
  readonly nextForgers: NextForgers
}

/** Limit of instant withdrawals of one size. */
export interface Bucket {
  /** Greatest withdrawal, in US dollars. */
  readonly ceilUSD: string
  /** Withdrawals that were left after the last change. */
  readonly withdrawals: bigint
  /** Blocks after which more withdrawals are allowed. */
  readonly blockWithdrawalRate: bigint
  readonly maxWithdrawals: bigint
  /** Block of the last change. */
  readonly blockStamp: bigint
}

/** Variables of the rollup contract. */
export interface StateRollup {
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
  /** Forges slots without a winning bid. */
  readonly bootCoordinator: string
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
}

/** Variables of the withdrawal delayer contract. */
export interface StateWithdrawalDelayer {
  /** Seconds. */
  readonly withdrawalDelay: number
  readonly emergencyMode: boolean
  /** Ethereum address. */
  readonly rollupAddress: string
  /** Ethereum address. */
  readonly governanceDAOAddress: string
  /** Ethereum address. */
  readonly whiteHackGroupAddress: string
  /** Ethereum address. */
  readonly keeperAddress: string
  /** Seconds since 1970. */
  readonly emergencyModeStartingTime: number
}

/** Current state of the network. */
export interface State {
  readonly network: StateNetwork
  readonly metrics: Metrics
  readonly rollup: StateRollup
  readonly auction: StateAuction
  readonly withdrawalDelayer: StateWithdrawalDelayer
  readonly recommendedFee: RecommendedFee
}

/** Constants of the deployed rollup contract. */
export interface RollupPublicConstants {
  /** Ethereum address. */
  readonly governanceToken: string
  /** Blocks. */
  readonly absoluteMaxL1L2BatchTimeout: number
  readonly verifiers: ReadonlyArray<Verifier>
  /** Ethereum address. */
  readonly auctionAddress: string
  /** Ethereum address. */
  readonly governanceDAOAddress: string
  /** Ethereum address. */
  readonly withdrawalDelayerAddress: string
  /** Ethereum address. */
  readonly safetyAddress: string
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
  readonly limitLoadAmount: string
  /** Transfers stay below. */
  readonly limitL2TransferAmount: string
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

/** Constants of the network. */
export interface Config {
  readonly rollup: ConfigRollup
  readonly auction: ConfigAuction
  readonly withdrawalDelayer: ConfigWithdrawalDelayer
}

/** Page of tokens. */
export interface Tokens {
  readonly tokens: ReadonlyArray<Token>
  readonly pagination: PaginationInfo
}

/** Page of coordinators. */
export interface Coordinators {
  readonly coordinators: ReadonlyArray<Coordinator>
  readonly pagination: PaginationInfo
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
  /** Submit an authorization to create accounts for a key: `POST /account-creation-authorization`. Repeating a post changes nothing and gets the same answer. */
  readonly postRegister: { readonly takes: AccountCreationAuthorizationPost | JsonText, readonly answers: null }
  /** Submit a signed transaction: `POST /transactions-pool`. Repeating a post changes nothing and gets the same answer. */
  readonly postTx: { readonly takes: PostPoolL2Transaction | JsonText, readonly answers: string }
}
