import type { Effect } from "effect"
import { type FiltersOf, limitDefault, type ListQuery } from "../../../core/contract/mod.ts"
import type { Coordinator } from "../../../core/domain/mod.ts"
import type { Page, StoreFailure } from "../../../core/ports/mod.ts"
import { type AnswerStatement, answerStatement, firstColumn } from "../connection/mod.ts"
import { coordinator } from "../entities/mod.ts"
import { countsOf, type Order, positionOf } from "../postings/mod.ts"
import { hexParameter } from "./_run_query.ts"
import { cachedStatement, type RunQuery } from "./_run_query.ts"

type Filters = FiltersOf<"coordinators">

/** Returns whether a query selects among the latest registrations of the bidders. */
export const isOfLatest = ({ bidderAddr, forgerAddr, onlyLatest = false }: Filters): boolean =>
  onlyLatest || bidderAddr !== undefined || forgerAddr !== undefined

/**
 * Returns a page of the latest registrations. The cost grows with the number of bidders, or of the
 * bidders of the forger; both are small, since a registration costs money.
 */
export const listLatestCoordinators = (
  runQuery: RunQuery,
  { filters: { bidderAddr, forgerAddr }, fromItem, limit = limitDefault, order = "ASC" }: ListQuery<
    "coordinators"
  >
): Effect.Effect<Page<Coordinator>, StoreFailure> =>
  runQuery({
    statement: cachedStatement(
      `latest coordinators ${bidderAddr === undefined} ${forgerAddr === undefined} ${order}`,
      () => statementOf(order, bidderAddr !== undefined, forgerAddr !== undefined)
    ),
    parameters: [
      positionOf(order, fromItem),
      String(limit),
      ...bidderAddr === undefined ? [] : [hexParameter(bidderAddr)],
      ...forgerAddr === undefined ? [] : [hexParameter(forgerAddr)]
    ]
  }, (answer) => ({
    items: answer.rows.map((values) => coordinator.read(values, firstColumn)),
    counts: countsOf(answer, order, answer.rows.length).counts,
    snapshotId: answer.snapshotId
  }))

const statementOf = (
  order: Order,
  hasBidder: boolean,
  hasForger: boolean
): AnswerStatement => {
  const conditions = [
    ...hasBidder ? ["bidder_addr = $3::bytea"] : [],
    ...hasForger ? [`forger_addr = $${hasBidder ? 4 : 3}::bytea`] : []
  ]
  return answerStatement({
    ctes: [
      `matching AS MATERIALIZED (SELECT item_id FROM registration${
        conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`
      })`
    ],
    head: ["counts.total", "counts.before", "counts.first", "counts.last"],
    from:
      `CROSS JOIN (SELECT count(*) AS total, count(*) FILTER (WHERE item_id < $1::bigint) AS before,
  min(item_id) AS first, max(item_id) AS last FROM matching) AS counts`,
    rows: [
      {
        columns: coordinator.select("r"),
        sources: [{
          place: "r.item_id",
          from: `(SELECT item_id FROM matching
  WHERE item_id ${
            order === "ASC" ? ">=" : "<"
          } $1::bigint ORDER BY item_id ${order} LIMIT $2::bigint) AS page
JOIN coordinator AS r USING (item_id)`
        }]
      }
    ],
    order
  })
}
