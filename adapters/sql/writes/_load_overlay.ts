import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type {
  Account,
  AuctionVariables,
  Bid,
  Coordinator,
  EthereumBlock,
  Exit,
  HeadFeed,
  NetworkVariables,
  Token,
  TokenId,
  Transaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  FIRST_USER_ACCOUNT,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import { type LedgerStamp, stampBlocks } from "../../../core/ports/mod.ts"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  accountRowSql,
  bidRowSql,
  coordinatorRowSql,
  exitRowSql,
  decodeAccount,
  decodeBid,
  decodeCoordinator,
  decodeExit,
  decodeParameterSet,
  decodeToken,
  decodeTransaction,
  tokenRowSql,
  transactionRowSql
} from "../reads/mod.ts"
import type { OverlayNeeds } from "./_overlay_needs.ts"
import type { NextItems, Totals } from "./_rows_to_write.ts"

/**
 * The initial state of a `WriteOverlay`: the last and next ids of the ledger, and the rows that the
 * decisions can read.
 */
export interface OverlayStart {
  readonly stamp: LedgerStamp
  readonly tokenVersion: number
  readonly next: Readonly<NextItems>
  readonly totals: Readonly<Totals>
  readonly lastBlock: EthereumBlock
  readonly lastEthereumBlock: bigint
  readonly head: HeadFeed | null
  /** L1 user transactions that were queued up to the last block. */
  readonly totalQueued: number
  readonly lastAccountIndex: AccountIndex
  readonly lastTokenId: TokenId
  readonly lastForgedQueue: number | null
  readonly lastOpenQueue: number | null
  /** The next position among the price changes of the last block. */
  readonly nextPricePosition: number
  /** The newest variables of each kind, decoded by the call. */
  readonly variables: () => NetworkVariables
  /** All auction variables, newest first, decoded by the call. */
  readonly auctionVariables: () => ReadonlyArray<AuctionVariables>
  /** Of the needed blocks, the stored ones; of a number in a gap, the blocks around it. */
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

/** The columns of a block that `blockOf` reads. */
export interface StoredBlock {
  readonly number: string
  readonly hash: Uint8Array
  readonly timestamp_ms: bigint
}

/** The row of `ledgerEndStatement`. */
interface LedgerEnd extends StoredBlock {
  readonly version: bigint
  readonly token_version: bigint
  readonly batch_num: bigint | null
  readonly next_account: bigint
  readonly next_exit: bigint
  readonly next_transaction: bigint
  readonly next_batch: bigint
  readonly next_bid: bigint
  readonly next_token: bigint
  readonly next_coordinator: bigint
  readonly last_ethereum_block: string
  readonly head_number: string | null
  readonly head_hash: Uint8Array | null
  readonly head_timestamp_ms: bigint | null
  readonly chain_head: string | null
  readonly total_queued: bigint
  readonly total_transactions: bigint | null
  readonly total_l2_transactions: bigint | null
  readonly total_fee_units: string | null
  readonly total_accounts: bigint | null
  readonly total_public_keys: bigint | null
  readonly total_l1_user_transactions: bigint | null
  readonly total_l1_wait_ms: string | null
  readonly last_forged_queue: bigint | null
  readonly last_account_index: bigint | null
  readonly last_token_id: bigint
  readonly last_open_queue: bigint | null
  readonly last_price: bigint | null
  readonly rollup: string
  readonly withdrawal_delayer: string
  readonly auction: ReadonlyArray<string>
}

const newestSet = (kind: string): string =>
  `(SELECT variables FROM parameter_set WHERE kind = '${kind}' ORDER BY ethereum_block_num DESC LIMIT 1)`

const ledgerEndStatement = `
SELECT ledger.version, ledger.token_version, ledger.batch_num, ledger.next_account, ledger.next_exit, ledger.next_transaction,
  ledger.next_batch, ledger.next_bid, ledger.next_token, ledger.next_coordinator,
  ledger.head_number, ledger.head_hash, ledger.head_timestamp_ms, ledger.chain_head, block.number, block.hash, block.timestamp_ms, block.last_ethereum_block, block.total_queued,
  batch.total_transactions, batch.total_l2_transactions, batch.total_fee_units, batch.total_accounts, batch.total_public_keys, batch.total_l1_user_transactions,
  batch.total_l1_wait_ms, batch.last_forged_queue,
  (SELECT max(account_index) FROM account) AS last_account_index,
  (SELECT max(token_id) FROM token) AS last_token_id,
  (SELECT max(queue) FROM queued_transaction WHERE NOT forged) AS last_open_queue,
  (SELECT max(place) FROM price_change WHERE price_change.ethereum_block_num = ledger.ethereum_block_num) AS last_price,
  ${newestSet("rollup")} AS rollup, ${newestSet("withdrawalDelayer")} AS withdrawal_delayer,
  (SELECT array_agg(variables ORDER BY ethereum_block_num DESC) FROM parameter_set WHERE kind = 'auction') AS auction
FROM ledger JOIN block ON block.number = ledger.ethereum_block_num LEFT JOIN batch ON batch.batch_num = ledger.batch_num`

/** Selects each stored block, or the two around it if the number is in a gap. */
const blocksStatement = `
SELECT DISTINCT found.number, found.hash, found.timestamp_ms FROM unnest($1::numeric[]) AS asked (number)
CROSS JOIN LATERAL (
  (SELECT number, hash, timestamp_ms FROM block WHERE block.number <= asked.number ORDER BY block.number DESC LIMIT 1)
  UNION ALL
  (SELECT number, hash, timestamp_ms FROM block WHERE block.number >= asked.number ORDER BY block.number LIMIT 1)
) AS found`
const queuedStatement = `
SELECT ${transactionRowSql} AS line FROM (SELECT *, NULL AS batch_num FROM queued_transaction WHERE queue = ANY($1::bigint[]) AND NOT forged) AS r
ORDER BY r.queue, r.position`
const accountsStatement =
  `SELECT ${accountRowSql} AS line FROM account AS r WHERE account_index = ANY($1::bigint[])`
const tokensStatement =
  `SELECT ${tokenRowSql} AS line FROM token AS r WHERE token_id = ANY($1::bigint[]) OR ethereum_address = ANY($2::bytea[])`
const exitsStatement = `
SELECT ${exitRowSql} AS line FROM unnest($1::bigint[], $2::bigint[]) AS asked (batch, account)
JOIN exit AS r ON r.batch_num = asked.batch AND r.account_index = asked.account`
const requestedStatement = `
SELECT ${exitRowSql} AS line FROM unnest($1::bytea[], $2::bigint[]) AS asked (owner, token)
JOIN exit AS r ON r.address = asked.owner AND r.token_id = asked.token AND r.delayed_withdraw_request IS NOT NULL AND r.delayed_withdrawn IS NULL`
const registrationsStatement = `
SELECT ${coordinatorRowSql} AS line FROM registration JOIN coordinator AS r USING (item_id) WHERE registration.bidder_addr = ANY($1::bytea[])`
const bestBidsStatement = `
SELECT ${bidRowSql} AS line FROM unnest($1::bigint[]) AS asked (slot_num)
CROSS JOIN LATERAL (SELECT * FROM bid WHERE bid.slot_num = asked.slot_num ORDER BY item_id DESC LIMIT 1) AS r
JOIN registration USING (bidder_addr) JOIN coordinator AS c ON c.item_id = registration.item_id`
// the posting list of a public key has its accounts; \x416b is "Ak", the prefix of these lists
const publicKeysStatement = `
SELECT encode(asked.public_key, 'hex') AS line FROM unnest($1::bytea[]) AS asked (public_key)
WHERE EXISTS (SELECT FROM posting WHERE posting.key = '\\x416b'::bytea || asked.public_key AND posting.is_last)`

/**
 * Reads the start of an overlay for `needs`, and adds to these the accounts and tokens of the
 * queues. The caller has locked the row of `ledger`.
 */
export const loadOverlay = Effect.fnUntraced(
  function*(
    sql: SqlClient.SqlClient,
    needs: OverlayNeeds
  ): Effect.fn.Return<OverlayStart, SqlError.SqlError> {
    /**
     * Runs a statement that returns lines; returns [] if all of its parameters are empty arrays.
     */
    const lines = <Row>(
      statement: string,
      read: (line: string) => Row,
      ...parameters: ReadonlyArray<string>
    ) =>
      parameters.every((parameter) => parameter === "{}")
        ? Effect.succeed<ReadonlyArray<Row>>([])
        : Effect.map(sql.unsafe<{ readonly line: string }>(statement, parameters), (rows) =>
          rows.map(({ line }) => read(line)))
    const end = (yield* sql.unsafe<LedgerEnd>(ledgerEndStatement))[0]!
    const lastBlock = blockOf(end)
    const stored = needs.blocks.filter((number) => number < lastBlock.number)
    const blocks = stored.length === 0
      ? []
      : yield* sql.unsafe<StoredBlock>(blocksStatement, [bigintArray(stored)])
    const queued = yield* lines(queuedStatement, decodeTransaction, bigintArray([...needs.queues]))
    for (const { fromAccountIndex, fromPublicKey, toAccountIndex, tokenId } of queued) {
      needs.addAccount(fromAccountIndex)
      needs.addAccount(toAccountIndex)
      needs.tokens.add(tokenId)
      if (fromAccountIndex === null && fromPublicKey !== null) needs.publicKeys.add(fromPublicKey)
    }
    const accounts = yield* lines(
      accountsStatement,
      decodeAccount,
      bigintArray([...needs.accounts])
    )
    for (const { tokenId } of accounts) needs.tokens.add(tokenId)
    const exitKeys = [...needs.exits.values()]
    const exits = yield* lines(
      exitsStatement,
      decodeExit,
      bigintArray(exitKeys.map(([batchNum]) => batchNum)),
      bigintArray(exitKeys.map(([, index]) => index))
    )
    const owners = [...needs.requested.values()]
    const requested = yield* lines(
      requestedStatement,
      decodeExit,
      bytesArray(owners.map(([owner]) => owner)),
      bigintArray(owners.map(([, tokenId]) => tokenId))
    )
    return {
      ...idsOf(end),
      lastBlock,
      blocks: blocks.map(blockOf),
      queued,
      accounts,
      tokens: yield* lines(
        tokensStatement,
        decodeToken,
        bigintArray([...needs.tokens]),
        bytesArray([...needs.tokenAddresses])
      ),
      exits: [...exits, ...requested],
      registrations: yield* lines(
        registrationsStatement,
        decodeCoordinator,
        bytesArray([...needs.bidders])
      ),
      bestBids: (yield* lines(bestBidsStatement, decodeBid, bigintArray([...needs.slots]))).map((
        { bid }
      ) => bid),
      publicKeys: yield* lines(
        publicKeysStatement,
        (line) => line,
        bytesArray([...needs.publicKeys])
      )
    }
  }
)

/** Returns the block of a row. */
export const blockOf = ({ hash, number, timestamp_ms }: StoredBlock): EthereumBlock => ({
  number: BigInt(number),
  hash: `0x${Buffer.from(hash).toString("hex")}`,
  timestampMs: Number(timestamp_ms)
})

const headOf = (
  { chain_head, head_hash, head_number, head_timestamp_ms }: LedgerEnd
): HeadFeed | null =>
  head_number === null ? null : {
    ...blockOf({ number: head_number, hash: head_hash!, timestamp_ms: head_timestamp_ms! }),
    chainHead: BigInt(chain_head!)
  }

const idsOf = (end: LedgerEnd) => ({
  head: headOf(end),
  stamp: {
    ...stampBlocks(BigInt(end.number), headOf(end)),
    batchNum: numberOrNull(end.batch_num),
    version: Number(end.version)
  },
  tokenVersion: Number(end.token_version),
  next: {
    account: Number(end.next_account),
    exit: Number(end.next_exit),
    transaction: Number(end.next_transaction),
    batch: Number(end.next_batch),
    bid: Number(end.next_bid),
    token: Number(end.next_token),
    coordinator: Number(end.next_coordinator)
  },
  totals: {
    transactions: Number(end.total_transactions ?? 0),
    l2Transactions: Number(end.total_l2_transactions ?? 0),
    feeUnits: BigInt(end.total_fee_units ?? 0),
    accounts: Number(end.total_accounts ?? 0),
    publicKeys: Number(end.total_public_keys ?? 0),
    l1UserTransactions: Number(end.total_l1_user_transactions ?? 0),
    l1WaitMs: BigInt(end.total_l1_wait_ms ?? 0)
  },
  totalQueued: Number(end.total_queued),
  lastEthereumBlock: BigInt(end.last_ethereum_block),
  lastAccountIndex: Number(end.last_account_index ?? FIRST_USER_ACCOUNT - 1),
  lastTokenId: Number(end.last_token_id),
  lastForgedQueue: numberOrNull(end.last_forged_queue),
  lastOpenQueue: numberOrNull(end.last_open_queue),
  nextPricePosition: Number(end.last_price ?? -1) + 1,
  variables: () => ({
    rollup: decodeParameterSet("rollup", end.rollup),
    auction: decodeParameterSet("auction", end.auction[0]!),
    withdrawalDelayer: decodeParameterSet("withdrawalDelayer", end.withdrawal_delayer)
  }),
  auctionVariables: () => end.auction.map((set) => decodeParameterSet("auction", set))
})

const numberOrNull = (value: bigint | null): number | null => value === null ? null : Number(value)
