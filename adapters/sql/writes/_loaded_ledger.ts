import {
  type Account,
  type Bid,
  type Coordinator,
  type EthereumBlock,
  type Exit,
  isRequestedWithdraw,
  type NetworkVariables,
  type Token,
  type TokenId,
  type Transaction
} from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress, PublicKey } from "../../../core/encoding/mod.ts"
import type { LedgerBase } from "../../../core/ports/mod.ts"
import { gapBetween } from "../../../core/use_cases/mod.ts"

/** The last and next ids of the ledger. */
export interface LedgerEnd extends
  Pick<
    LedgerBase,
    | "version"
    | "next"
    | "totals"
    | "totalQueued"
    | "lastBlock"
    | "lastEthereumBlock"
    | "head"
    | "lastBatchNum"
    | "lastAccountIndex"
    | "lastTokenId"
    | "lastForgedQueue"
    | "lastOpenQueue"
  >
{
  readonly tokenVersion: number
  /** The next position among the price changes of the last block. */
  readonly nextPricePosition: number
}

/** The rows that the decisions about some blocks can read. */
interface LoadedRows {
  /** Of the needed blocks, the stored ones; of a number in a gap, the blocks around it. */
  readonly blocks: ReadonlyArray<EthereumBlock>
  readonly queued: ReadonlyArray<Transaction>
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: ReadonlyArray<Token>
  readonly exits: ReadonlyArray<Exit>
  readonly registrations: ReadonlyArray<Coordinator>
  readonly bestBids: ReadonlyArray<Bid>
  /** Public keys in `NeededRows.publicKeys` that already have an account. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** The newest variables of each kind, decoded by the call. */
  readonly variables: () => NetworkVariables
}

/** The part of the ledger that some blocks refer to, in memory: the base on which they are staged. */
export interface LoadedLedger extends LedgerEnd, LedgerBase {}

/** Returns the part of the ledger that some blocks refer to. */
export const loadedLedger = (end: LedgerEnd, rows: LoadedRows): LoadedLedger => {
  const allBlocks = [...rows.blocks, end.lastBlock].sort((a, b) => a.number < b.number ? -1 : 1)
  const blocks = mapBy(allBlocks, ({ number }) => number)
  const queues = Map.groupBy(rows.queued, ({ l1 }) => l1!.toForgeL1TransactionsNum!)
  const accounts = mapBy(rows.accounts, ({ index }) => index)
  const tokens = mapBy(rows.tokens, ({ id }) => id)
  const tokensByAddress = mapBy(rows.tokens, ({ ethereumAddress }) => ethereumAddress)
  const registrations = mapBy(rows.registrations, ({ bidderAddr }) => bidderAddr)
  const bestBids = mapBy(rows.bestBids, ({ slotNum }) => slotNum)
  const exits = mapBy(rows.exits, ({ accountIndex, batchNum }) => exitKey(batchNum, accountIndex))
  const requestedExits = Map.groupBy(
    // a withdrawal and a collection can both name a row
    [...exits.values()].filter(isRequestedWithdraw).sort((a, b) => a.itemId - b.itemId),
    ({ address, tokenId }) => ownerKey(address, tokenId)
  )
  const publicKeys = new Set(rows.publicKeys)
  let variables: NetworkVariables | undefined
  return {
    ...end,
    get variables() {
      return variables ??= rows.variables()
    },
    block: (number) => blocks.get(number),
    gapAt: (number) => gapBetween(allBlocks, number),
    queue: (queue) => queues.get(queue) ?? [],
    account: (index) => accounts.get(index),
    token: (id) => tokens.get(id),
    tokenByAddress: (address) => tokensByAddress.get(address),
    registration: (bidder) => registrations.get(bidder),
    bestBid: (slotNum) => bestBids.get(slotNum),
    exit: (batchNum, index) => exits.get(exitKey(batchNum, index)),
    requestedExits: (owner, tokenId) => requestedExits.get(ownerKey(owner, tokenId)) ?? [],
    hasPublicKey: (key) => publicKeys.has(key),
    // the table refuses a second transaction with an id
    hasTransaction: () => false
  }
}

const exitKey = (batchNum: number, index: AccountIndex): string => `${batchNum}:${index}`
const ownerKey = (owner: EthereumAddress, tokenId: TokenId): string => `${owner}:${tokenId}`
const mapBy = <Key, Row>(rows: ReadonlyArray<Row>, key: (row: Row) => Key): Map<Key, Row> =>
  new Map(rows.map((row) => [key(row), row]))
