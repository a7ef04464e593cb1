import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import {
  isRequestedWithdraw,
  type NetworkVariables,
  type TokenId
} from "../../../core/domain/mod.ts"
import type { AccountIndex, EthereumAddress, PublicKey } from "../../../core/encoding/mod.ts"
import { type LedgerBase, noTotals } from "../../../core/ports/mod.ts"
import { gapBetween } from "../../../core/use_cases/mod.ts"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  account,
  blockRow,
  computed,
  bid,
  coordinator,
  currentVariables,
  decodeParameterSet,
  ethereumBlock,
  exit,
  from,
  inferredShape,
  integer,
  ledgerRow,
  nullable,
  part,
  plainText,
  queryOf,
  queuedTransaction,
  type RowQuery,
  selectRows,
  token,
  totals,
  uint32
} from "../entities/mod.ts"
import type { NeededRows } from "./_needed_rows.ts"

/** The end of the ledger; the totals and the last queues are null before the first batch. */
const ledgerEnd = inferredShape({
  ledger: from("ledger", ledgerRow),
  block: from("block", blockRow),
  totals: from("batch", part("total_transactions", totals)),
  lastForgedQueue: computed("batch.last_forged_queue", nullable(uint32)),
  lastOpenQueue: computed(
    "(SELECT max(queue) FROM queued_transaction WHERE NOT forged)",
    nullable(uint32)
  ),
  lastPrice: computed(
    "(SELECT max(place) FROM price_change WHERE price_change.ethereum_block_num = ledger.ethereum_block_num)",
    nullable(integer)
  ),
  rollup: computed(currentVariables("rollup"), plainText),
  withdrawalDelayer: computed(currentVariables("withdrawalDelayer"), plainText),
  auction: computed(currentVariables("auction"), plainText)
})
const end = queryOf(
  ledgerEnd,
  "ledger JOIN block ON block.number = ledger.ethereum_block_num LEFT JOIN batch ON batch.batch_num = ledger.batch_num"
)

/** Selects each stored block, or the two around it if the number is in a gap. */
const blocks = queryOf(
  ethereumBlock,
  `(
  SELECT DISTINCT found.* FROM unnest($1::numeric[]) AS asked (number)
  CROSS JOIN LATERAL (
    (SELECT number, hash, timestamp_ms FROM block WHERE block.number <= asked.number ORDER BY block.number DESC LIMIT 1)
    UNION ALL
    (SELECT number, hash, timestamp_ms FROM block WHERE block.number >= asked.number ORDER BY block.number LIMIT 1)
  ) AS found
) AS r`
)
const queued = queryOf(
  queuedTransaction,
  "queued_transaction AS r WHERE queue = ANY($1::bigint[]) AND NOT forged ORDER BY r.queue, r.position"
)
const accounts = queryOf(account, "account AS r WHERE account_index = ANY($1::bigint[])")
const tokens = queryOf(
  token,
  "token AS r WHERE token_id = ANY($1::bigint[]) OR ethereum_address = ANY($2::bytea[])"
)
const exits = queryOf(
  exit,
  `unnest($1::bigint[], $2::bigint[]) AS asked (batch, account)
JOIN exit AS r ON r.batch_num = asked.batch AND r.account_index = asked.account`
)
const requestedExits = queryOf(
  exit,
  `unnest($1::bytea[], $2::bigint[]) AS asked (owner, token)
JOIN exit AS r ON r.address = asked.owner AND r.token_id = asked.token AND r.delayed_withdraw_request IS NOT NULL AND r.delayed_withdrawn IS NULL`
)
const registrations = queryOf(
  coordinator,
  "registration JOIN coordinator AS r USING (item_id) WHERE registration.bidder_addr = ANY($1::bytea[])"
)
const bestBids = queryOf(
  bid,
  `unnest($1::bigint[]) AS asked (slot_num)
CROSS JOIN LATERAL (SELECT * FROM bid WHERE bid.slot_num = asked.slot_num ORDER BY item_id DESC LIMIT 1) AS r`
)
// the posting list of a public key has its accounts; \x416b is "Ak", the prefix of these lists
const publicKeys: RowQuery<PublicKey> = {
  statement: `
SELECT encode(asked.public_key, 'hex') FROM unnest($1::bytea[]) AS asked (public_key)
WHERE EXISTS (SELECT FROM posting WHERE posting.key = '\\x416b'::bytea || asked.public_key AND posting.is_last)`,
  read: ([key]) => key as PublicKey
}

/** The part of the ledger that some blocks refer to, in memory: the base on which they are staged. */
export interface LoadedLedger extends LedgerBase {
  readonly tokenVersion: number
  /** The next position among the price changes of the last block. */
  readonly nextPricePosition: number
}

/**
 * Reads the end of the ledger and the rows of `needs`, and adds to these the accounts and tokens of
 * the queues. The caller has locked the row of `ledger`.
 */
export const loadLedger = (
  sql: SqlClient.SqlClient,
  needs: NeededRows
): Effect.Effect<LoadedLedger, SqlError.SqlError> => Effect.map(readRows(sql, needs), ledgerOf)

const readRows = Effect.fnUntraced(
  function*(sql: SqlClient.SqlClient, needs: NeededRows) {
    /** Runs a query; returns [] if all of its parameters are empty arrays. */
    const rows = <Row>(
      query: RowQuery<Row>,
      ...parameters: ReadonlyArray<string>
    ): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
      parameters.every((parameter) => parameter === "{}")
        ? Effect.succeed([])
        : selectRows(sql, query, parameters)
    const [stored] = yield* selectRows(sql, end)
    const waiting = yield* rows(queued, bigintArray([...needs.queues]))
    for (const { fromAccountIndex, fromPublicKey, toAccountIndex, tokenId } of waiting) {
      needs.addAccount(fromAccountIndex)
      needs.addAccount(toAccountIndex)
      needs.tokens.add(tokenId)
      if (fromAccountIndex === null && fromPublicKey !== null) needs.publicKeys.add(fromPublicKey)
    }
    const touched = yield* rows(accounts, bigintArray([...needs.accounts]))
    for (const { tokenId } of touched) needs.tokens.add(tokenId)
    const exitKeys = [...needs.exits.values()]
    const withdrawn = yield* rows(
      exits,
      bigintArray(exitKeys.map(([batchNum]) => batchNum)),
      bigintArray(exitKeys.map(([, index]) => index))
    )
    const owners = [...needs.requested.values()]
    const requested = yield* rows(
      requestedExits,
      bytesArray(owners.map(([owner]) => owner)),
      bigintArray(owners.map(([, tokenId]) => tokenId))
    )
    return {
      end: stored!,
      blocks: yield* rows(
        blocks,
        bigintArray(needs.blocks.filter((number) => number < stored!.block.block.number))
      ),
      queued: waiting,
      accounts: touched,
      tokens: yield* rows(
        tokens,
        bigintArray([...needs.tokens]),
        bytesArray([...needs.tokenAddresses])
      ),
      exits: [...withdrawn, ...requested],
      registrations: yield* rows(registrations, bytesArray([...needs.bidders])),
      bestBids: yield* rows(bestBids, bigintArray([...needs.slots])),
      publicKeys: new Set(yield* rows(publicKeys, bytesArray([...needs.publicKeys])))
    }
  }
)

const ledgerOf = (
  { end, publicKeys, ...rows }: Effect.Success<ReturnType<typeof readRows>>
): LoadedLedger => {
  const { block, ledger } = end
  const allBlocks = [...rows.blocks, block.block].sort((a, b) => a.number < b.number ? -1 : 1)
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
  let variables: NetworkVariables | undefined
  return {
    version: ledger.version,
    tokenVersion: ledger.tokenVersion,
    next: ledger.next,
    head: ledger.head,
    lastBatchNum: ledger.batchNum ?? 0,
    totals: end.totals ?? noTotals,
    totalQueued: block.totalQueued,
    lastBlock: block.block,
    lastEthereumBlock: block.lastEthereumBlock,
    lastAccountIndex: block.lastAccountIndex,
    lastTokenId: block.lastTokenId,
    lastForgedQueue: end.lastForgedQueue,
    lastOpenQueue: end.lastOpenQueue,
    nextPricePosition: (end.lastPrice ?? -1) + 1,
    // decoded if a decision reads them
    get variables() {
      return variables ??= {
        rollup: decodeParameterSet("rollup", end.rollup),
        auction: decodeParameterSet("auction", end.auction),
        withdrawalDelayer: decodeParameterSet("withdrawalDelayer", end.withdrawalDelayer)
      }
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
