import type {
  Account,
  AuctionVariables,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  NetworkVariables,
  Token,
  TokenId,
  Transaction
} from "../../../core/domain/mod.ts"
import type { AccountIndex, PublicKey } from "../../../core/encoding/mod.ts"
import type { LedgerStamp } from "../../../core/ports/mod.ts"
import type { NextItems, Totals } from "./_written_rows.ts"

/**
 * The initial state of a `WriteOverlay`: the end of the ledger, and the rows that decisions will
 * read.
 */
export interface OverlayStart {
  readonly stamp: LedgerStamp
  readonly tokenVersion: number
  readonly next: Readonly<NextItems>
  readonly totals: Readonly<Totals>
  readonly lastBlock: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly lastAccountIndex: AccountIndex
  readonly lastTokenId: TokenId
  readonly lastForgedQueue: number | null
  readonly lastOpenQueue: number | null
  /** The first free place among the prices of the last block. */
  readonly nextPrice: number
  /** Newest first; decoded on demand. */
  readonly variables: () => NetworkVariables
  readonly auctionVariables: () => ReadonlyArray<AuctionVariables>
  readonly blocks: ReadonlyArray<EthereumBlock>
  readonly queued: ReadonlyArray<Transaction>
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: ReadonlyArray<Token>
  readonly exits: ReadonlyArray<Exit>
  readonly registrations: ReadonlyArray<Coordinator>
  readonly bestBids: ReadonlyArray<Bid>
  /** Public keys in `OverlayNeeds.publicKeys` that already have an account. */
  readonly publicKeys: ReadonlyArray<PublicKey>
}
