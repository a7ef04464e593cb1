import { Effect } from "effect"
import type { ItemKeys, ItemName, Items } from "../../../core/contract/mod.ts"
import type { TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex } from "../../../core/encoding/mod.ts"
import type { AccountsAndTokens, FoundItem, StoreFailure } from "../../../core/ports/mod.ts"
import {
  type AnswerStatement,
  answerStatement,
  firstColumn,
  itemStatement,
  type RowValues,
  type SqlAnswer
} from "../connection/mod.ts"
import { account, batch, coordinator, exit } from "../entities/mod.ts"
import { registrationOf } from "./_auction_plans.ts"
import {
  queuedRows,
  readAccountItem,
  readExitItem,
  readTransactionItem,
  transactionColumns
} from "./history_rows.ts"
import { headQuery, hexParameter, type RunQuery, tokenOf, type Tokens } from "./_run_query.ts"

/** How to find an item: the statement, its parameters, and the decoder of its rows. */
interface Finder<N extends ItemName> {
  readonly statement: AnswerStatement
  /**
   * The statement to run if `statement` returns no item. It searches more tables, and again that of
   * `statement`, since all have to be of one snapshot.
   */
  readonly fallback?: AnswerStatement
  readonly parameters: (key: ItemKeys[N]) => ReadonlyArray<string>
  readonly read: (
    rows: ReadonlyArray<RowValues>,
    tokens: Tokens,
    key: ItemKeys[N]
  ) => Items[N] | null
}

const readFirst =
  <Item>(read: (values: RowValues, tokens: Tokens) => Item) =>
  ([values]: ReadonlyArray<RowValues>, tokens: Tokens): Item | null =>
    values === undefined ? null : read(values, tokens)

const row = (table: string, condition: string): string =>
  `(SELECT * FROM ${table} WHERE ${condition} LIMIT 1) AS r`

const readBatch = (values: RowValues): Items["batch"] => batch.read(values, firstColumn)

const forged = row("transaction", "id = $1::bytea")
/** A queued transaction that is not forged yet. */
const queued = `(${queuedRows("id = $1::bytea AND NOT forged LIMIT 1")}) AS r`

const finders: { readonly [N in Exclude<ItemName, "slot">]: Finder<N> } = {
  account: {
    statement: itemStatement(account.select("r"), row("account", "account_index = $1::bigint")),
    parameters: (index) => [String(index)],
    read: readFirst(readAccountItem)
  },
  exit: {
    statement: itemStatement(
      exit.select("r"),
      row("exit", "batch_num = $1::bigint AND account_index = $2::bigint")
    ),
    parameters: ({ accountIndex, batchNum }) => [String(batchNum), String(accountIndex)],
    read: readFirst(readExitItem)
  },
  transaction: {
    statement: itemStatement(transactionColumns, forged),
    fallback: itemStatement(transactionColumns, forged, queued),
    parameters: (id) => [hexParameter(id)],
    read: readFirst(readTransactionItem)
  },
  batch: {
    statement: itemStatement(batch.select("r"), row("batch", "batch_num = $1::bigint")),
    parameters: (batchNum) => [String(batchNum)],
    read: readFirst(readBatch)
  },
  fullBatch: {
    statement: answerStatement({
      ctes: ["found AS MATERIALIZED (SELECT * FROM batch WHERE batch_num = $1::bigint LIMIT 1)"],
      rows: [
        { columns: batch.select("r"), sources: [{ place: "0", from: "found AS r" }] },
        {
          columns: transactionColumns,
          sources: [{
            place: "r.item_id",
            // only transactions of the batch have these item ids; the limit makes the planner use
            // the index
            from: `found CROSS JOIN LATERAL (
  SELECT * FROM transaction WHERE transaction.item_id >= found.transactions_from AND transaction.item_id < found.transactions_to
  ORDER BY transaction.item_id LIMIT found.transactions_to - found.transactions_from
) AS r`
          }]
        }
      ]
    }),
    parameters: (batchNum) => [String(batchNum)],
    read: ([values, ...transactions], tokens) =>
      values === undefined ? null : {
        batch: readBatch(values),
        transactions: transactions.map((values) =>
          readTransactionItem(values, tokens, firstColumn + batch.columns.length)
        )
      }
  },
  token: {
    statement: headQuery.statement,
    parameters: () => [],
    read: (_, tokens, id) => tokenOf(tokens, id)
  },
  coordinator: {
    statement: itemStatement(coordinator.select("r"), registrationOf("$1::bytea", "r")),
    parameters: (bidder) => [hexParameter(bidder)],
    read: readFirst((values) => coordinator.read(values, firstColumn))
  }
}

/** Returns one item, or null if it does not exist. */
export const findItem = <N extends Exclude<ItemName, "slot">>(
  runQuery: RunQuery,
  name: N,
  key: ItemKeys[N]
): Effect.Effect<FoundItem<Items[N]>, StoreFailure> => {
  const { fallback, parameters, read, statement }: Finder<N> = finders[name]
  const query = { statement, parameters: parameters(key) }
  const item = ({ rows, snapshotId }: SqlAnswer, tokens: Tokens) => ({
    item: read(rows, tokens, key),
    snapshotId
  })
  if (fallback === undefined) return runQuery(query, item)
  return Effect.flatMap(
    runQuery(query, item),
    (found) =>
      found.item === null
        ? runQuery({ ...query, statement: fallback }, item)
        : Effect.succeed(found)
  )
}

const accountsStatement = answerStatement({
  rows: [{
    columns: account.select("r"),
    sources: [{
      place: "asked.place",
      from: `unnest($1::bigint[]) WITH ORDINALITY AS asked (account_index, place)
CROSS JOIN LATERAL (SELECT * FROM account WHERE account.account_index = asked.account_index LIMIT 1) AS r`
    }]
  }]
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
    { statement: accountsStatement, parameters: [`{${accounts.join(",")}}`] },
    ({ rows, snapshotId }, tokens) => {
      const byIndex = new Map(rows.map((values) => {
        const row = account.read(values, firstColumn)
        return [row.index, row] as const
      }))
      return {
        accounts: accounts.map((index) => byIndex.get(index) ?? null),
        tokens: tokenIds.map((id) => tokenOf(tokens, id)),
        snapshotId
      }
    }
  )
