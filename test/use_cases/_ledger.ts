import { Result } from "effect"
import {
  type Account,
  type Bid,
  type BlockChanges,
  type BlockFeed,
  type Coordinator,
  type EthereumBlock,
  type Exit,
  type HeadFeed,
  type New,
  type NetworkVariables,
  type Token,
  type Transaction
} from "../../core/domain/mod.ts"
import { type Decision, type LedgerBase, noTotals } from "../../core/ports/mod.ts"
import {
  type BlockViolation,
  decideBlock,
  type LedgerRules,
  placeGenesis
} from "../../core/use_cases/mod.ts"
import { genesis, rules } from "./_network.ts"

const first = placeGenesis(genesis)

/**
 * The smallest ledger: maps with the rows that decisions read, without itemIds, snapshots or
 * rollbacks.
 */
export class FakeLedger implements LedgerBase {
  readonly version = 0
  readonly next = first.next
  readonly totals = noTotals
  readonly totalQueued = 0
  lastBlock: EthereumBlock = genesis.block
  lastEthereumBlock = genesis.block.number
  head: HeadFeed | null = null
  lastBatchNum = 0
  lastAccountIndex = 255
  lastTokenId = 0
  lastForgedQueue: number | null = null
  lastOpenQueue: number | null = null
  variables: NetworkVariables = first.variables
  readonly blocks = new Map<bigint, EthereumBlock>([[genesis.block.number, genesis.block]])
  readonly accounts = new Map<number, Account>()
  readonly tokens = new Map<number, Token>([[0, first.token]])
  readonly transactions = new Map<string, Transaction>()
  readonly exits = new Map<string, Exit>()
  readonly registrations = new Map<string, Coordinator>()
  readonly bids: Array<Bid> = []

  readonly block = (number: bigint) => this.blocks.get(number)
  readonly gapAt = (number: bigint) => {
    const blocks = [...this.blocks.values()]
    const before = blocks.findLast((block) => block.number < number)
    const after = blocks.find((block) => block.number > number)
    return before === undefined || after === undefined || this.blocks.has(number)
      ? undefined
      : { before, after }
  }
  readonly account = (index: number) => this.accounts.get(index)
  readonly token = (id: number) => this.tokens.get(id)
  readonly tokenByAddress = (address: string) =>
    [...this.tokens.values()].find((token) => token.ethereumAddress === address)
  readonly registration = (bidder: string) => this.registrations.get(bidder)
  readonly bestBid = (slotNum: number) => this.bids.findLast((bid) => bid.slotNum === slotNum)
  readonly exit = (batchNum: number, index: number) => this.exits.get(`${batchNum}:${index}`)
  readonly queue = (number: number) =>
    [...this.transactions.values()]
      .filter(({ batchNum, l1 }) => batchNum === null && l1?.toForgeL1TransactionsNum === number)
      .sort((a, b) => a.position - b.position)
  readonly requestedExits = (owner: string, tokenId: number) =>
    [...this.exits.values()].filter((exit) =>
      exit.address === owner && exit.tokenId === tokenId && exit.delayedWithdrawRequest !== null &&
      exit.delayedWithdrawn === null
    )

  readonly hasPublicKey = (key: string) =>
    [...this.accounts.values()].some(({ publicKey }) => publicKey === key)
  readonly hasTransaction = (id: string) => this.transactions.has(id)

  readonly #rules: LedgerRules

  constructor(ledgerRules = rules) {
    this.#rules = ledgerRules
  }

  decide(block: BlockFeed): Result.Result<Decision, BlockViolation> {
    return decideBlock(this.#rules, block)(this)
  }

  /** Applies a block that is expected to be valid and new, and returns its changes. */
  apply(block: BlockFeed): BlockChanges {
    const decision = Result.getOrThrow(this.decide(block))
    if (decision.kind !== "store") throw new Error(`Block ${block.number} is stored already`)
    this.#store(decision.changes)
    return decision.changes
  }

  #store(changes: BlockChanges): void {
    this.lastBlock = changes.block
    this.lastEthereumBlock = changes.lastEthereumBlock
    this.blocks.set(changes.block.number, changes.block)
    for (const token of changes.tokens) this.tokens.set(token.id, numbered(token))
    for (const { priceUSD, timeMs, tokenId } of changes.prices) {
      this.tokens.set(tokenId, { ...this.tokens.get(tokenId)!, priceUSD, priceTimeMs: timeMs })
    }
    this.lastTokenId = this.tokens.size - 1
    for (const coordinator of changes.coordinators) {
      this.registrations.set(coordinator.bidderAddr, numbered(coordinator))
    }
    this.bids.push(...changes.bids.map(numbered))
    for (const row of changes.queued) {
      this.transactions.set(row.id, numbered(row))
      this.lastOpenQueue = row.l1!.toForgeL1TransactionsNum
    }
    for (
      const { accounts, batch, exits, transactions } of changes.batches
    ) {
      this.lastBatchNum = batch.batchNum
      this.lastForgedQueue = batch.forgeL1TransactionsNum ?? this.lastForgedQueue
      for (const account of accounts) this.accounts.set(account.index, numbered(account))
      this.lastAccountIndex += batch.numAccounts
      for (const row of transactions) this.transactions.set(row.id, numbered(row))
      for (const exit of exits) {
        this.exits.set(`${exit.batchNum}:${exit.accountIndex}`, numbered(exit))
      }
    }
    this.variables = { ...this.variables, ...changes.variables }
    for (const { accountIndex, batchNum, field } of changes.withdrawals) {
      const key = `${batchNum}:${accountIndex}`
      this.exits.set(key, { ...this.exits.get(key)!, [field]: changes.block.number })
    }
  }
}

const numbered = <Row>(row: New<Row>): Row => ({ ...row, itemId: 1 }) as Row
