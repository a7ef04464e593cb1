/* Written from the declarations of the contract by `npm run generate`: do not edit. */

import type { AtLeastOne, JsonText, NoParameters, Paging } from "./parameters.ts"

/** Authorization to create accounts for a key. */
export interface AccountCreationAuthorization {
  readonly timestamp: string
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly zkEthereumAddress: string
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly bjj: string
  /** Ethereum signature: r, s, v. */
  readonly signature: string
}

/** Token registered in the network. */
export interface Token {
  /** Identifier of a registered token; 0 is ether. */
  readonly id: number
  /** Ethereum address of the token contract. */
  readonly ethereumAddress: string
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  /** Full name of the token. */
  readonly name: string
  /** Abbreviated name of the token. */
  readonly symbol: string
  /** One whole token is 10^decimals units. */
  readonly decimals: number
  /** Block in which the token was registered. */
  readonly ethereumBlockNum: bigint
  /** Price of one whole token. */
  readonly USD: number | null
  /** When the price was set. */
  readonly fiatUpdate: string | null
}

/** Leaf of the state tree: the balance of one owner in one token. */
export interface Account {
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly accountIndex: string
  /** Number of transactions that the account has sent. */
  readonly nonce: bigint
  /** Units of the token. */
  readonly balance: string
  /** Compressed BabyJubJub key: base64url of its 32 bytes and of their checksum. */
  readonly bjj: string
  /** Ethereum address of an account owner; answers have the checksum of EIP-55. */
  readonly zkEthereumAddress: string
  readonly token: Token
}

/** Page of accounts. */
export interface Accounts {
  readonly accounts: ReadonlyArray<Account>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `accounts`, which are ordered by account index. */
export interface AccountsQuery extends Paging {
  /** Only accounts that this Ethereum address owns; not together with BJJ. */
  readonly zkEthereumAddress?: string
  /** Only accounts of this BabyJubJub key; not together with zkEthereumAddress. */
  readonly BJJ?: string
  /** Only accounts of these tokens: token identifiers separated by commas. */
  readonly tokenIds?: ReadonlyArray<number>
}

/** Proof that the leaf is in the exit tree of the batch. */
export interface MerkleProof {
  /** Exit root of the batch. */
  readonly root: string
  /** From the root downwards, without trailing zeros. */
  readonly siblings: ReadonlyArray<string>
  /** An integer of any size, as a decimal string. */
  readonly oldKey: string
  /** An integer of any size, as a decimal string. */
  readonly oldValue: string
  readonly isOld0: boolean
  /** Account index as a number. */
  readonly key: string
  /** Hash of the leaf. */
  readonly value: string
  /** 0: the leaf is in the tree. */
  readonly fnc: number
}

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
  readonly instantWithdrawn: bigint | null
  /** Ethereum block in which the withdrawal went to the delayer. */
  readonly delayedWithdrawRequest: bigint | null
  /** Ethereum block in which the delayed withdrawal was collected. */
  readonly delayedWithdrawn: bigint | null
  readonly token: Token
}

/** Page of exits. */
export interface Exits {
  readonly exits: ReadonlyArray<Exit>
  /** Items that match and come after this page. */
  readonly pendingItems: number
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
  /** If true, only exits that were neither withdrawn instantly nor collected from the delayer. */
  readonly onlyPendingWithdraws?: boolean
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
  /** Account: prefix, token symbol and index; index 0 is none, 1 is the exit. */
  readonly toAccountIndex: string | null
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
  /** Batch that forged it; null until then, and again after a rollback of the batch. */
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
}

/** Properties of L2 transactions. */
export interface L2Info {
  /** Index into the table of fee factors. */
  readonly fee: number
  /** Worth of the fee when the transaction was forged. */
  readonly historicFeeUSD: number | null
  /** Number of transactions that the account has sent. */
  readonly nonce: bigint
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
  /** Only items of this account, as sender or receiver; not together with zkEthereumAddress, BJJ, tokenId. */
  readonly accountIndex?: string
  /** Only items of accounts that this Ethereum address owns, as sender or receiver; not together with accountIndex, BJJ. */
  readonly zkEthereumAddress?: string
  /** Only items of accounts of this BabyJubJub key, as sender or receiver; not together with accountIndex, zkEthereumAddress. */
  readonly BJJ?: string
  /** Only items of this token; not together with accountIndex. */
  readonly tokenId?: number
  /** Only items of this batch. */
  readonly batchNum?: number
  /** Only transactions of this type. */
  readonly type?: "Exit" | "Transfer" | "Deposit" | "CreateAccountDeposit" | "CreateAccountDepositTransfer" | "DepositTransfer" | "ForceTransfer" | "ForceExit" | "TransferToEthAddr" | "TransferToBJJ"
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
}

/** Page of batches. */
export interface Batches {
  readonly batches: ReadonlyArray<Batch>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `batches`, which are ordered by batch number. */
export interface BatchesQuery extends Paging {
  /** Only batches with a greater number. */
  readonly minBatchNum?: number
  /** Only batches with a smaller number. */
  readonly maxBatchNum?: number
  /** Only batches forged in this slot. */
  readonly slotNum?: number
  /** Only batches forged by this address. */
  readonly forgerAddr?: string
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
  /** Address that can claim a lost bid. */
  readonly withdrawAddr: string
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
  /** Only slots whose auction is closed and was won by a bid of this bidder. */
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

/** The parameters of `bids`, which are ordered by time of the bid; within a slot, also its value. */
export type BidsQuery = Paging & AtLeastOne<{
  /** Only items of this slot. */
  readonly slotNum?: number
  /** Only bids of this bidder. */
  readonly bidderAddr?: string
}, "slotNum" | "bidderAddr">

/** Registration of a coordinator. */
export interface Coordinator {
  /** Position of the item in its list; increases and is never reused. */
  readonly itemId: number
  /** Ethereum address. */
  readonly forgerAddr: string
  /** Ethereum address. */
  readonly bidderAddr: string
  /** URL of the coordinator. */
  readonly URL: string
  /** Block of the registration. */
  readonly ethereumBlock: bigint
}

/** When the coordinator may forge; times are estimates. */
export interface Period {
  /** Number of a slot. */
  readonly slotNum: number
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
}

/** Averages over the batches of a window that ends at the last block: 24 hours, or since the genesis block if that is less. */
export interface Metrics {
  /** Transactions divided by batches; 0: unknown, the window has no batch. */
  readonly transactionsPerBatch: number
  /** Seconds from the first to the last batch, divided by the number of batches less one; 0: unknown, the window has fewer than two batches. */
  readonly batchFrequency: number
  /** Transactions divided by the seconds of the window; 0: unknown if the window has no batch. */
  readonly transactionsPerSecond: number
  readonly totalAccounts: number
  /** Distinct BabyJubJub keys. */
  readonly totalBJJs: number
  /** US dollars for each L2 transaction; 0: unknown if the window has none. */
  readonly avgTransactionFee: number
}

/** Limit of instant withdrawals of one size. */
export interface Bucket {
  /** Greatest withdrawal, in US dollars. */
  readonly ceilUSD: string
  /** Withdrawals that are left at lastSynchedBlock. */
  readonly withdrawals: bigint
  /** Blocks after which more withdrawals are allowed. */
  readonly blockWithdrawalRate: bigint
  readonly maxWithdrawals: bigint
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
}

/** Variables of the withdrawal delayer contract. */
export interface StateWithdrawalDelayer {
  /** Block of the last change. */
  readonly ethereumBlockNum: bigint
  /** Ethereum address. */
  readonly governanceAddress: string
  /** Ethereum address. */
  readonly emergencyCouncilAddress: string
  /** Seconds. */
  readonly withdrawalDelay: number
  /** Ethereum block number. */
  readonly emergencyModeStartingBlock: bigint
  readonly emergencyMode: boolean
}

/** Fee in US dollars that the coordinator recommends: that of an average L2 transaction of the last hour, or a setting of the node if none paid a fee. */
export interface RecommendedFee {
  /** The destination account exists. */
  readonly existingAccount: number
  /** The coordinator creates an account of an Ethereum address. */
  readonly createAccount: number
  /** The coordinator creates an account of a key alone. */
  readonly createAccountInternal: number
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

/** Capacity of a proof verifier. */
export interface Verifier {
  readonly maxTx: number
  /** Depth of the state tree. */
  readonly nlevels: number
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
  readonly governanceAddress: string
  /** Ethereum address. */
  readonly withdrawalDelayerAddress: string
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
  readonly limitDepositAmount: string
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

/** Constants of the auction contract. */
export interface ConfigAuction {
  readonly blocksPerSlot: number
  /** Units of the governance token. */
  readonly initialMinimalBidding: string
  /** First block of slot 0. */
  readonly genesisBlockNum: bigint
  /** Ethereum address. */
  readonly governanceToken: string
  /** Ethereum address. */
  readonly rollupAddress: string
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
  readonly rollupAddress: string
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
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `tokens`, which are ordered by token identifier. */
export interface TokensQuery extends Paging {
  /** Only these tokens: token identifiers separated by commas. */
  readonly ids?: ReadonlyArray<number>
  /** Only tokens with these symbols, separated by commas. */
  readonly symbols?: ReadonlyArray<string>
  /** Only tokens whose name contains this text, with the same case. */
  readonly name?: string
}

/** Page of coordinators. */
export interface Coordinators {
  readonly coordinators: ReadonlyArray<Coordinator>
  /** Items that match and come after this page. */
  readonly pendingItems: number
}

/** The parameters of `coordinators`, which are ordered by block of the registration, then forger address. */
export interface CoordinatorsQuery extends Paging {}

/** Authorization to create accounts for a key, signed by the owner of an Ethereum address; any coordinator may use it. */
export interface AccountCreationAuthorizationPost {
  /** Address that signs the authorization and will own the accounts. */
  readonly zkEthereumAddress: string
  /** Key of the accounts. */
  readonly bjj: string
  /** EIP-712 signature of the Ethereum key. */
  readonly signature: string
}

/** L2 transaction as its sender signed it. It goes to an account (index from 256 on), to the exit (index 1), to an Ethereum address, or to a key alone (with the address of all F). A requested transaction has at least sender, token, amount, fee and nonce. The symbol in the index of an account must be that of its token; that of the exit may be any. */
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
  /** Receiver by Ethereum address; all F with a key. */
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
