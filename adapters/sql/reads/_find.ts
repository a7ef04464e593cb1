import { Effect } from "effect"
import type { ItemKeys, ItemName, Items } from "../../../core/contract/mod.ts"
import type { TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import type { FoundItem, AccountsAndTokens, StoreFailure } from "../../../core/ports/mod.ts"
import { answerStatement, type SqlAnswer } from "../connection/mod.ts"
import { coordinatorRowSql, decodeCoordinator, registrationOf } from "./auction_rows.ts"
import {
  accountRowSql,
  batchRowSql,
  exitRowSql,
  decodeAccount,
  decodeBatch,
  decodeExit,
  decodeTransaction,
  transactionRowSql
} from "./history_rows.ts"
import { headStatement } from "./_list.ts"
import { hexParameter } from "./_list_values.ts"
import type { RunQuery } from "./_run_query.ts"
import { type Tokens, tokenOf } from "./_token_cache.ts"

/** How one item is found: a statement, its parameters, and what its lines are. */
interface Finder<N extends ItemName> {
  readonly text: string
  /** Asked where there is no line: it looks into more places, the first one among them, since they are one snapshot. */
  readonly wider?: string
  readonly parameters: (key: ItemKeys[N]) => ReadonlyArray<string>
  readonly read: (lines: ReadonlyArray<string>, tokens: Tokens, key: ItemKeys[N]) => Items[N] | null
}

const one = <Item>(read: (line: string) => Item) => ([line]: ReadonlyArray<string>): Item | null =>
  line === undefined ? null : read(line)

const row = (table: string, line: string, condition: string, place = "0"): string =>
  `SELECT ${place}, ${line} FROM (SELECT * FROM ${table} WHERE ${condition} LIMIT 1) AS r`

const accountOf = (index: string, name: string): string =>
  `LEFT JOIN LATERAL (SELECT * FROM account WHERE account.account_index = ${index} LIMIT 1) AS ${name} ON true`

/** A transaction that waits in its queue, with what its accounts tell by now, also those created since it was queued. */
const waiting = `SELECT 0, ${transactionRowSql} FROM (
  SELECT q.item_id, q.id, q.type, q.position, q.from_account_index, q.from_address, coalesce(q.from_public_key, sender.public_key) AS from_public_key,
    q.to_account_index, coalesce(q.to_address, receiver.address) AS to_address, coalesce(q.to_public_key, receiver.public_key) AS to_public_key,
    q.token_id, q.amount, NULL::bigint AS batch_num, q.historic_usd, q.timestamp_ms, q.queue, q.user_origin, q.deposit_amount, q.amount_success,
    q.deposit_amount_success, q.historic_deposit_amount_usd, q.ethereum_block_num, q.fee, q.historic_fee_usd, q.nonce
  FROM (SELECT * FROM queued_transaction WHERE id = $1::bytea AND NOT forged LIMIT 1) AS q
  ${accountOf("q.from_account_index", "sender")} ${accountOf("q.to_account_index", "receiver")}
) AS r`

const finders: { readonly [N in Exclude<ItemName, "slot">]: Finder<N> } = {
  account: {
    text: answerStatement({ rows: [row("account", accountRowSql, "account_index = $1::bigint")] }),
    parameters: (index) => [String(index)],
    read: (lines, tokens) => {
      const account = one(decodeAccount)(lines)
      return account && { account, token: tokenOf(tokens, account.tokenId)! }
    }
  },
  exit: {
    text: answerStatement({
      rows: [row("exit", exitRowSql, "batch_num = $1::bigint AND account_index = $2::bigint")]
    }),
    parameters: ({ accountIndex, batchNum }) => [String(batchNum), String(accountIndex)],
    read: (lines, tokens) => {
      const exit = one(decodeExit)(lines)
      return exit && { exit, token: tokenOf(tokens, exit.tokenId)! }
    }
  },
  transaction: {
    text: answerStatement({ rows: [row("transaction", transactionRowSql, "id = $1::bytea")] }),
    wider: answerStatement({
      rows: [row("transaction", transactionRowSql, "id = $1::bytea"), waiting]
    }),
    parameters: (id) => [hexParameter(id)],
    read: (lines, tokens) => {
      const transaction = one(decodeTransaction)(lines)
      return transaction && { transaction, token: tokenOf(tokens, transaction.tokenId)! }
    }
  },
  batch: {
    text: answerStatement({ rows: [row("batch", batchRowSql, "batch_num = $1::bigint")] }),
    parameters: (batchNum) => [String(batchNum)],
    read: one(decodeBatch)
  },
  fullBatch: {
    text: answerStatement({
      ctes: ["found AS MATERIALIZED (SELECT * FROM batch WHERE batch_num = $1::bigint LIMIT 1)"],
      rows: [
        `SELECT 0, ${batchRowSql} FROM found AS r`,
        // nothing but the batch's own transactions has these item ids; the limit is there for the plan
        `SELECT r.item_id, ${transactionRowSql} FROM found CROSS JOIN LATERAL (
  SELECT * FROM transaction WHERE transaction.item_id >= found.transactions_from AND transaction.item_id < found.transactions_to
  ORDER BY transaction.item_id LIMIT found.transactions_to - found.transactions_from
) AS r`
      ]
    }),
    parameters: (batchNum) => [String(batchNum)],
    read: ([batch, ...lines], tokens) =>
      batch === undefined ? null : {
        batch: decodeBatch(batch),
        transactions: lines.map((line) => {
          const transaction = decodeTransaction(line)
          return { transaction, token: tokenOf(tokens, transaction.tokenId)! }
        })
      }
  },
  token: {
    text: headStatement,
    parameters: () => [],
    read: (_, tokens, id) => tokenOf(tokens, id)
  },
  coordinator: {
    text: answerStatement({
      rows: [`SELECT 0, ${coordinatorRowSql} FROM ${registrationOf("$1::bytea", "r")}`]
    }),
    parameters: (bidder) => [hexParameter(bidder)],
    read: one(decodeCoordinator)
  }
}

/** One item, or null where there is none. */
export const findItem = <N extends Exclude<ItemName, "slot">>(
  runQuery: RunQuery,
  name: N,
  key: ItemKeys[N]
): Effect.Effect<FoundItem<Items[N]>, StoreFailure> => {
  const { parameters, read, text, wider }: Finder<N> = finders[name]
  const question = { text, parameters: parameters(key) }
  const item = ({ lines, stamp }: SqlAnswer, tokens: Tokens) => ({
    item: read(lines, tokens, key),
    stamp
  })
  if (wider === undefined) return runQuery(question, item)
  const inFull = runQuery({ ...question, text: wider }, item)
  return Effect.flatMap(
    runQuery(question, item),
    (found) => found.item === null ? inFull : Effect.succeed(found)
  )
}

const partiesStatement = answerStatement({
  rows: [
    `SELECT asked.place, ${accountRowSql} FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (account_index, place)
CROSS JOIN LATERAL (SELECT * FROM account WHERE account.account_index = asked.account_index LIMIT 1) AS r`
  ]
})

/** Accounts and tokens by what a transaction calls them. */
export const findAccountsAndTokens = (
  runQuery: RunQuery,
  { accounts, tokens: tokenIds }: {
    readonly accounts: ReadonlyArray<AccountIndex>
    readonly tokens: ReadonlyArray<TokenId>
  }
): Effect.Effect<AccountsAndTokens, StoreFailure> =>
  runQuery(
    { text: partiesStatement, parameters: [`{${accounts.join(",")}}`] },
    ({ lines, stamp }, tokens) => {
      const found = new Map(lines.map((line) => {
        const account = decodeAccount(line)
        return [account.index, account] as const
      }))
      return {
        accounts: accounts.map((index) => found.get(index) ?? null),
        tokens: tokenIds.map((id) => tokenOf(tokens, id)),
        stamp
      }
    }
  )
