import type { Items } from "../../../core/contract/mod.ts"
import { mayNameOtherTokens } from "../../../core/domain/mod.ts"
import { firstColumn, type RowValues } from "../connection/mod.ts"
import {
  account,
  computed,
  exit,
  inferredShape,
  integer,
  nullable,
  transaction
} from "../entities/mod.ts"
import { tokenOf, type Tokens } from "./_run_query.ts"

/*
 * Items of rows that batches add: a row `r` with its token. The decoders read the values of an
 * answer.
 */

export const readAccountItem = (values: RowValues, tokens: Tokens): Items["account"] => {
  const row = account.read(values, firstColumn)
  return { account: row, token: tokenOf(tokens, row.tokenId)! }
}

export const readExitItem = (values: RowValues, tokens: Tokens): Items["exit"] => {
  const row = exit.read(values, firstColumn)
  return { exit: row, token: tokenOf(tokens, row.tokenId)! }
}

/** Returns SQL for the token of an account that an L1 user transaction names. */
const accountToken = (index: string) =>
  computed(
    `CASE WHEN r.user_origin OR r.amount = 0 THEN (SELECT named.token_id FROM account AS named WHERE named.account_index = ${index} AND (r.batch_num IS NULL OR named.batch_num <= r.batch_num) LIMIT 1) END`,
    nullable(integer)
  )

/** The tokens of the accounts that a transaction `r` names. */
const namedTokens = inferredShape({
  senderTokenId: accountToken("r.from_account_index"),
  receiverTokenId: accountToken("r.to_account_index")
})

export const transactionColumns = [...transaction.select("r"), ...namedTokens.select("r")]

/** Decodes the `transactionColumns` that begin at index `at`. */
export const readTransactionItem = (
  values: RowValues,
  tokens: Tokens,
  at = firstColumn
): Items["transaction"] => {
  const row = transaction.read(values, at)
  const view = { transaction: row, token: tokenOf(tokens, row.tokenId)! }
  if (!mayNameOtherTokens(row)) return view
  const { receiverTokenId, senderTokenId } = namedTokens.read(
    values,
    at + transaction.columns.length
  )
  const otherToken = (id: number | null) =>
    id === null || id === row.tokenId ? null : tokenOf(tokens, id)
  const senderToken = otherToken(senderTokenId)
  const receiverToken = otherToken(receiverTokenId)
  return {
    ...view,
    ...senderToken === null ? {} : { senderToken },
    ...receiverToken === null ? {} : { receiverToken }
  }
}

const accountOf = (index: string, name: string): string =>
  `LEFT JOIN LATERAL (SELECT * FROM account WHERE account.account_index = ${index} LIMIT 1) AS ${name} ON true`

/** What queued transactions take from their accounts if they lack it. */
const ofAccounts: { readonly [column: string]: string } = {
  from_public_key: "sender.public_key",
  to_address: "receiver.address",
  to_public_key: "receiver.public_key"
}
const queuedColumns = transaction.columns.map(({ name }) =>
  ofAccounts[name] !== undefined
    ? `coalesce(q.${name}, ${ofAccounts[name]}) AS ${name}`
    : name === "batch_num"
    ? `NULL::bigint AS ${name}`
    : `q.${name}`
)

/**
 * Returns a query of queued transactions that meet a condition, with the columns of `transaction`.
 * Addresses and public keys that they lack come from their accounts, which may have been created
 * since.
 */
export const queuedRows = (condition: string): string => `
SELECT ${queuedColumns.join(", ")} FROM (SELECT * FROM queued_transaction WHERE ${condition}) AS q
${accountOf("q.from_account_index", "sender")} ${accountOf("q.to_account_index", "receiver")}`
