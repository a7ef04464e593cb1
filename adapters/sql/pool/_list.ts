import type { PageCounts } from "../../../core/contract/mod.ts"
import type { PoolState, SkipCode } from "../../../core/domain/mod.ts"
import type { PoolFilters, PoolPage, PoolPageQuery, PoolParty } from "../../../core/ports/mod.ts"
import { readText } from "../connection/mod.ts"
import {
  bigintList,
  bytesOf,
  int8,
  pooledOf,
  type PoolTransactionRow,
  skippedTransactionOf,
  type SkippedTransactionRow,
  transactionColumns
} from "./pool_rows.ts"

/** A statement and its parameters. */
interface Query {
  readonly statement: string
  readonly parameters: ReadonlyArray<unknown>
}

/** Returns the query of a page. Page and counts are of one statement, hence of one snapshot. */
export const listQuery = ({ filters, fromArrival, limit, order }: PoolPageQuery): Query => {
  const parameters: Array<unknown> = []
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const condition = conditionOf(filters, parameter)
  const from = fromArrival === null
    ? "true"
    : `arrival ${order === "ASC" ? ">=" : "<="} ${parameter(int8(fromArrival))}`
  return {
    statement: `
WITH matching AS MATERIALIZED (SELECT t.arrival FROM pool_transaction AS t WHERE ${condition}),
page AS (SELECT arrival FROM matching WHERE ${from} ORDER BY arrival ${order} LIMIT ${
      parameter(int8(limit))
    })
SELECT counts.*, ${transactionColumns}, t.passed_code, t.passed_reason, t.passed_batch_num, t.passed_at_ms,
  CASE WHEN t.state = 'invl' THEN (SELECT p.reason FROM pool_transition AS p WHERE p.id = t.id ORDER BY p.number DESC LIMIT 1) END AS invalid_reason
FROM (
  SELECT count(*) AS total_items, min(arrival) AS first_arrival, max(arrival) AS last_arrival, count(*) FILTER (WHERE ${from}) AS from_here
  FROM matching
) AS counts LEFT JOIN (page JOIN pool_transaction AS t USING (arrival)) ON true ORDER BY t.arrival ${order}`,
    parameters
  }
}

/** Returns the page of the rows of `listQuery`. */
export const pageOf = (rows: ReadonlyArray<ListRow>): PoolPage => {
  const [first] = rows
  const items = rows.flatMap((row) =>
    row.id === null ? [] : {
      pooled: pooledOf(row),
      skipped: isSkipped(row) ? skippedTransactionOf(row) : null,
      invalidReason: row.invalid_reason === null ? null : readText(row.invalid_reason)
    }
  )
  const itemIdOf = (arrival: bigint | null) => arrival === null ? null : Number(arrival) + 1
  const counts: PageCounts = {
    pendingItems: Number(first!.from_here) - items.length,
    totalItems: Number(first!.total_items),
    firstItem: itemIdOf(first!.first_arrival),
    lastItem: itemIdOf(first!.last_arrival)
  }
  return { items, counts }
}

const isSkipped = (row: FullRow): row is FullRow & SkippedTransactionRow => row.passed_code !== null

interface Counts {
  readonly total_items: bigint
  readonly first_arrival: bigint | null
  readonly last_arrival: bigint | null
  readonly from_here: bigint
}

type FullRow = PoolTransactionRow & {
  readonly passed_code: SkipCode | null
  readonly invalid_reason: string | null
}

/** A row of `listQuery`; without a transaction if the page is empty. */
export type ListRow =
  & Counts
  & ({ readonly id: null } | FullRow)

const conditionOf = (
  { from, group, id, party, states, to, tokenId, type }: PoolFilters,
  parameter: (value: unknown) => string
): string => {
  const anyOf = ({ accounts, address, publicKey }: PoolParty, columns: PartyColumns): string => {
    const matches = [
      ...accounts === undefined
        ? []
        : [`t.${columns.account} = ANY (${parameter(bigintList(accounts))}::bigint[])`],
      ...address === undefined ? [] : equalsAny(columns.addresses, parameter(bytesOf(address))),
      ...publicKey === undefined ? [] : equalsAny(columns.keys, parameter(bytesOf(publicKey)))
    ]
    return matches.length === 0 ? "false" : matches.join(" OR ")
  }
  const sentBy = (party: PoolParty) => anyOf(party, senderColumns)
  const sentTo = (party: PoolParty) => anyOf(party, receiverColumns)
  const conditions = [
    ...id === undefined ? [] : [`t.id = ${parameter(bytesOf(id))}`],
    ...group === undefined ? [] : [`t.group_id = ${parameter(bytesOf(group))}`],
    // as literals, so that the planner knows how many there are
    ...states === undefined ? [] : [inStates(states)],
    ...type === undefined ? [] : [`t.type = ${parameter(type)}`],
    ...tokenId === undefined ? [] : [`t.token_id = ${parameter(int8(tokenId))}`],
    ...from === undefined ? [] : [`(${sentBy(from)})`],
    ...to === undefined ? [] : [`(${sentTo(to)})`],
    ...party === undefined ? [] : [`(${sentBy(party)} OR ${sentTo(party)})`]
  ]
  return conditions.length === 0 ? "true" : conditions.join(" AND ")
}

const inStates = (states: ReadonlyArray<PoolState>): string =>
  states.length === 0 ? "false" : `t.state IN (${states.map((state) => `'${state}'`).join(", ")})`

/** The columns of one side of a transaction. */
interface PartyColumns {
  readonly account: string
  readonly addresses: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
}

const senderColumns: PartyColumns = {
  account: "from_account_index",
  addresses: ["sender_address"],
  keys: ["sender_key"]
}
const receiverColumns: PartyColumns = {
  account: "to_account_index",
  addresses: ["to_address", "receiver_address"],
  keys: ["to_public_key", "receiver_key"]
}

const equalsAny = (columns: ReadonlyArray<string>, value: string): ReadonlyArray<string> =>
  columns.map((column) => `t.${column} = ${value}`)
