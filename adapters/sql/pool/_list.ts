import type { PageCounts } from "../../../core/contract/mod.ts"
import { type PoolState, poolStates } from "../../../core/domain/mod.ts"
import type { PoolFilters, PoolPage, PoolPageQuery, PoolParty } from "../../../core/ports/mod.ts"
import { bigintArray } from "../connection/mod.ts"
import {
  computed,
  inferredShape,
  integer,
  nullable,
  part,
  pooled,
  type RowQuery,
  selectList,
  type ShapeRow,
  skip,
  text
} from "../entities/mod.ts"
import { bytesOf, int8 } from "./pool_rows.ts"

/** The counts of a page, with one of its transactions, or none if it is empty. */
const listRow = inferredShape({
  totalItems: computed("counts.total_items", integer),
  firstArrival: computed("counts.first_arrival", nullable(integer)),
  lastArrival: computed("counts.last_arrival", nullable(integer)),
  fromHere: computed("counts.from_here", integer),
  pooled: part("id", pooled),
  skip,
  invalidReason: computed(
    "CASE WHEN r.state = 'invl' THEN (SELECT p.reason FROM pool_transition AS p WHERE p.id = r.id ORDER BY p.number DESC LIMIT 1) END",
    nullable(text)
  )
})
type ListRow = ShapeRow<typeof listRow>

const listColumns = selectList(listRow.select("r"))

/** A query and its parameters. */
interface Query extends RowQuery<ListRow> {
  readonly parameters: ReadonlyArray<unknown>
}

/** Returns the query of a page. Page and counts are of one statement, hence of one snapshot. */
export const listQuery = ({ filters, fromArrival, limit, order }: PoolPageQuery): Query => {
  const parameters: Array<unknown> = []
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const isFromHere = fromArrival === null
    ? "true"
    : `arrival ${order === "ASC" ? ">=" : "<="} ${parameter(int8(fromArrival))}`
  const first = `ORDER BY arrival ${order} LIMIT ${parameter(int8(limit))}`
  const { states = poolStates, ...others } = filters
  const isByState = states.length > 0 &&
    Object.values(others).every((condition) => condition === undefined)
  const tables = isByState
    ? tablesByState([...new Set(states)], isFromHere, first)
    : tablesByConditions(conditionOf(filters, parameter), isFromHere, first)
  return {
    statement: `${tables}
SELECT ${listColumns} FROM counts LEFT JOIN (page JOIN pool_transaction AS r USING (arrival)) ON true ORDER BY r.arrival ${order}`,
    read: (values) => listRow.read(values, 0),
    parameters
  }
}

/** Reads all transactions that the conditions hold for. */
const tablesByConditions = (condition: string, isFromHere: string, first: string): string => `
WITH matching AS MATERIALIZED (SELECT t.arrival FROM pool_transaction AS t WHERE ${condition}),
page AS (SELECT arrival FROM matching WHERE ${isFromHere} ${first}),
counts AS (
  SELECT count(*) AS total_items, min(arrival) AS first_arrival, max(arrival) AS last_arrival, count(*) FILTER (WHERE ${isFromHere}) AS from_here
  FROM matching
)`

/** Reads the page in each state, and counts at most the transactions from its position on. */
const tablesByState = (
  states: ReadonlyArray<PoolState>,
  isFromHere: string,
  first: string
): string => {
  const each = (write: (rows: string, state: PoolState) => string, separator = ", ") =>
    states.map((state) => write(`FROM pool_transaction WHERE state = '${state}'`, state))
      .join(separator)
  const total = each((_, state) => `pool.${state}`, " + ")
  return `
WITH page AS (
  SELECT arrival FROM (${
    each((rows) => `(SELECT arrival ${rows} AND ${isFromHere} ${first})`, " UNION ALL ")
  }) AS found ${first}
), counts AS (
  SELECT ${total} AS total_items, least(${
    each((rows) => `(SELECT min(arrival) ${rows})`)
  }) AS first_arrival, greatest(${
    each((rows) => `(SELECT max(arrival) ${rows})`)
  }) AS last_arrival, ${
    isFromHere === "true"
      ? total
      : each((rows) => `(SELECT count(*) ${rows} AND ${isFromHere})`, " + ")
  } AS from_here FROM pool WHERE singleton
)`
}

/** Returns the page of the rows of `listQuery`. */
export const pageOf = (rows: ReadonlyArray<ListRow>): PoolPage => {
  const [first] = rows
  const items = rows.flatMap(({ invalidReason, pooled, skip }) =>
    pooled === null ? [] : {
      pooled,
      skipped: skip === null ? null : { id: pooled.transaction.id, ...skip },
      invalidReason
    }
  )
  const itemIdOf = (arrival: number | null) => arrival === null ? null : arrival + 1
  const counts: PageCounts = {
    pendingItems: first!.fromHere - items.length,
    totalItems: first!.totalItems,
    firstItem: itemIdOf(first!.firstArrival),
    lastItem: itemIdOf(first!.lastArrival)
  }
  return { items, counts }
}

const conditionOf = (
  { from, group, id, party, states, to, tokenId, type }: PoolFilters,
  parameter: (value: unknown) => string
): string => {
  const anyOf = ({ accounts, address, publicKey }: PoolParty, columns: PartyColumns): string => {
    const matches = [
      ...accounts === undefined
        ? []
        : [`t.${columns.account} = ANY (${parameter(bigintArray(accounts))}::bigint[])`],
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
