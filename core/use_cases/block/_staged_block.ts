import type { Types } from "effect"
import type {
  Account,
  BatchChanges,
  Bid,
  BlockChanges,
  BlockFeed,
  Coordinator,
  Exit,
  NetworkConstants,
  NetworkVariables,
  New,
  Token,
  TokenId,
  Transaction
} from "../../domain/mod.ts"
import type { AccountIndex, EthereumAddress, Keccak256 } from "../../encoding/mod.ts"
import type { PriorLedger } from "../../ports/mod.ts"
import type { BatchOutcome, BatchState } from "../batch/mod.ts"

/** The rules of a decision about a block: constants and functions of the network. */
export interface BlockRules {
  readonly constants: NetworkConstants
  readonly keccak256: Keccak256
}

/** The ledger after the parts of a block that were already checked, and their changes. */
export class StagedBlock implements BatchState {
  readonly rules: BlockRules
  readonly block: BlockFeed
  readonly prior: PriorLedger
  lastAccountIndex: AccountIndex
  lastTokenId: TokenId
  lastBatchNum: number
  lastForgedQueue: number | null

  readonly tokens = new Map<TokenId, New<Token>>()
  readonly registrations = new Map<EthereumAddress, New<Coordinator>>()
  readonly bids: Array<New<Bid>> = []
  readonly queued: Array<New<Transaction>> = []
  readonly batches: Array<BatchChanges> = []
  readonly variables: Partial<Types.Mutable<NetworkVariables>> = {}
  readonly withdrawals: Array<BlockChanges["withdrawals"][number]> = []
  readonly #accounts = new Map<AccountIndex, New<Account>>()
  readonly #exits = new Map<string, New<Exit>>()

  constructor(rules: BlockRules, block: BlockFeed, prior: PriorLedger) {
    this.rules = rules
    this.block = block
    this.prior = prior
    this.lastAccountIndex = prior.lastAccountIndex
    this.lastTokenId = prior.lastTokenId
    this.lastBatchNum = prior.lastBatchNum
    this.lastForgedQueue = prior.lastForgedQueue
  }

  readonly token = (id: TokenId): New<Token> | undefined =>
    this.tokens.get(id) ?? this.prior.token(id)

  readonly account = (index: AccountIndex): New<Account> | undefined =>
    this.#accounts.get(index) ?? this.prior.account(index)

  exit(batchNum: number, index: AccountIndex): New<Exit> | undefined {
    return this.#exits.get(exitKey(batchNum, index)) ?? this.prior.exit(batchNum, index)
  }

  setExit(exit: New<Exit>): void {
    this.#exits.set(exitKey(exit.batchNum, exit.accountIndex), exit)
  }

  /** Applies the changes of a batch. */
  apply({ accounts, createdAccounts }: BatchOutcome): void {
    for (const account of accounts) this.#accounts.set(account.index, account)
    this.lastAccountIndex += createdAccounts.length
  }
}

const exitKey = (batchNum: number, index: AccountIndex): string => `${batchNum}:${index}`
