import { Effect } from "effect"
import type { ItemKeys, ItemName, Items } from "../../../core/contract/mod.ts"
import type { TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import type { AccountsAndTokens, FoundItem, StoreFailure } from "../../../core/ports/mod.ts"
import { answerStatement, type SqlAnswer } from "../connection/mod.ts"
import { coordinatorRowSql, decodeCoordinator, registrationOf } from "./auction_rows.ts"
import {
  accountRowSql,
  batchRowSql,
  decodeAccount,
  decodeAccountItem,
  decodeBatch,
  decodeExitItem,
  decodeTransactionItem,
  exitRowSql,
  queuedRows,
  transactionItemSql
} from "./history_rows.ts"
import { hexParameter } from "./_parameters.ts"
import { headStatement, type RunQuery, tokenOf, type Tokens } from "./_run_query.ts"

/** How to find an item: the statement, its parameters, and the decoder of its lines. */
interface Finder<N extends ItemName> {
  readonly text: string
  /**
   * The statement to run if `text` returns no line. It searches more tables, and again that of
   * `text`, since all have to be of one snapshot.
   */
  readonly fallback?: string
  readonly parameters: (key: ItemKeys[N]) => ReadonlyArray<string>
  readonly read: (lines: ReadonlyArray<string>, tokens: Tokens, key: ItemKeys[N]) => Items[N] | null
}

const decodeFirst =
  <Item>(decode: (line: string, tokens: Tokens) => Item) =>
  ([line]: ReadonlyArray<string>, tokens: Tokens): Item | null =>
    line === undefined ? null : decode(line, tokens)

const row = (table: string, line: string, condition: string): string =>
  `SELECT 0, ${line} FROM (SELECT * FROM ${table} WHERE ${condition} LIMIT 1) AS r`

/** A queued transaction that is not forged yet. */
const queuedRow = `SELECT 0, ${transactionItemSql} FROM (${
  queuedRows("id = $1::bytea AND NOT forged LIMIT 1")
}) AS r`

const finders: { readonly [N in Exclude<ItemName, "slot">]: Finder<N> } = {
  account: {
    text: answerStatement({ rows: [row("account", accountRowSql, "account_index = $1::bigint")] }),
    parameters: (index) => [String(index)],
    read: decodeFirst(decodeAccountItem)
  },
  exit: {
    text: answerStatement({
      rows: [row("exit", exitRowSql, "batch_num = $1::bigint AND account_index = $2::bigint")]
    }),
    parameters: ({ accountIndex, batchNum }) => [String(batchNum), String(accountIndex)],
    read: decodeFirst(decodeExitItem)
  },
  transaction: {
    text: answerStatement({ rows: [row("transaction", transactionItemSql, "id = $1::bytea")] }),
    fallback: answerStatement({
      rows: [row("transaction", transactionItemSql, "id = $1::bytea"), queuedRow]
    }),
    parameters: (id) => [hexParameter(id)],
    read: decodeFirst(decodeTransactionItem)
  },
  batch: {
    text: answerStatement({ rows: [row("batch", batchRowSql, "batch_num = $1::bigint")] }),
    parameters: (batchNum) => [String(batchNum)],
    read: decodeFirst(decodeBatch)
  },
  fullBatch: {
    text: answerStatement({
      ctes: ["found AS MATERIALIZED (SELECT * FROM batch WHERE batch_num = $1::bigint LIMIT 1)"],
      rows: [
        `SELECT 0, ${batchRowSql} FROM found AS r`,
        // only transactions of the batch have these item ids; the limit makes the planner use the
        // index
        `SELECT r.item_id, ${transactionItemSql} FROM found CROSS JOIN LATERAL (
  SELECT * FROM transaction WHERE transaction.item_id >= found.transactions_from AND transaction.item_id < found.transactions_to
  ORDER BY transaction.item_id LIMIT found.transactions_to - found.transactions_from
) AS r`
      ]
    }),
    parameters: (batchNum) => [String(batchNum)],
    read: ([batch, ...lines], tokens) =>
      batch === undefined ? null : {
        batch: decodeBatch(batch),
        transactions: lines.map((line) => decodeTransactionItem(line, tokens))
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
    read: decodeFirst(decodeCoordinator)
  }
}

/** Returns one item, or null if it does not exist. */
export const findItem = <N extends Exclude<ItemName, "slot">>(
  runQuery: RunQuery,
  name: N,
  key: ItemKeys[N]
): Effect.Effect<FoundItem<Items[N]>, StoreFailure> => {
  const { fallback, parameters, read, text }: Finder<N> = finders[name]
  const query = { text, parameters: parameters(key) }
  const item = ({ lines, stamp }: SqlAnswer, tokens: Tokens) => ({
    item: read(lines, tokens, key),
    stamp
  })
  if (fallback === undefined) return runQuery(query, item)
  return Effect.flatMap(
    runQuery(query, item),
    (found) =>
      found.item === null
        ? runQuery({ ...query, text: fallback }, item)
        : Effect.succeed(found)
  )
}

const accountsStatement = answerStatement({
  rows: [
    `SELECT asked.place, ${accountRowSql} FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (account_index, place)
CROSS JOIN LATERAL (SELECT * FROM account WHERE account.account_index = asked.account_index LIMIT 1) AS r`
  ]
})

/**
 * Returns accounts and tokens in the order of their keys, with null for those that do not exist.
 */
export const findAccountsAndTokens = (
  runQuery: RunQuery,
  { accounts, tokens: tokenIds }: {
    readonly accounts: ReadonlyArray<AccountIndex>
    readonly tokens: ReadonlyArray<TokenId>
  }
): Effect.Effect<AccountsAndTokens, StoreFailure> =>
  runQuery(
    { text: accountsStatement, parameters: [`{${accounts.join(",")}}`] },
    ({ lines, stamp }, tokens) => {
      const byIndex = new Map(lines.map((line) => {
        const account = decodeAccount(line)
        return [account.index, account] as const
      }))
      return {
        accounts: accounts.map((index) => byIndex.get(index) ?? null),
        tokens: tokenIds.map((id) => tokenOf(tokens, id)),
        stamp
      }
    }
  )
