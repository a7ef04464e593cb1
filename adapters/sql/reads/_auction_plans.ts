import type { BidView } from "../../../core/domain/mod.ts"
import { bid, coordinator, from, shape } from "../entities/mod.ts"
import { unindexedTail } from "../postings/mod.ts"
import { type ListQueryPlan, readItems } from "./_list_plan.ts"
import { byteParameter, hexOrNullParameter, hexParameter } from "./_run_query.ts"

/* Registrations: those of bidders, and plans of lists of the auction whose filters read them. */

/** Returns SQL for the latest registration of a bidder, as a sub-query with an alias. */
export const registrationOf = (bidder: string, alias: string): string => `
(SELECT c.* FROM registration CROSS JOIN LATERAL (SELECT * FROM coordinator WHERE coordinator.item_id = registration.item_id LIMIT 1) AS c
  WHERE registration.bidder_addr = ${bidder} LIMIT 1) AS ${alias}`

/** A bid `r` with the latest registration `c` of its bidder. */
export const bidView = shape<BidView>({
  bid: from("r", bid),
  coordinator: from("c", coordinator)
})

/**
 * Returns a query of the bidders that are registered with a forger; only of `bidder`, unless it is
 * NULL.
 */
const biddersOfForger = (column: string, forger: string, bidder: string): string =>
  `SELECT ${column} FROM registration
WHERE registration.forger_addr = ${forger} AND (${bidder} IS NULL OR registration.bidder_addr = ${bidder})`

/** Returns SQL for the keys that begin with `$1`, one for each of these bidders. */
export const keysOfForger = (forger: string, bidder: string): string =>
  biddersOfForger("$1::bytea || registration.bidder_addr AS key", forger, bidder)

/** Plans a read of the lists of a forger's bidders; their keys begin with `prefix`. */
export const readBidsOfForger = (
  prefix: Uint8Array,
  { bidderAddr, forgerAddr }: {
    readonly forgerAddr: string
    readonly bidderAddr: string | undefined
  },
  slotKey: Uint8Array | null
): ListQueryPlan => ({
  shape: slotKey === null ? "forger" : "forger in slot",
  text: (parameter) => {
    const [forger, bidder] = [parameter("bytea"), parameter("bytea")]
    return {
      lists: "postings",
      keys: keysOfForger(forger, bidder),
      ...(slotKey === null ? {} : {
        others: [
          `SELECT r.item_id AS item FROM bid AS r WHERE r.item_id = ANY(${
            unindexedTail(parameter("bytea"))
          }::bigint[]) AND r.bidder_addr = ANY(ARRAY(${
            biddersOfForger("bidder_addr", forger, bidder)
          }))`
        ]
      })
    }
  },
  keys: byteParameter(prefix),
  values: [
    hexParameter(forgerAddr),
    hexOrNullParameter(bidderAddr),
    ...(slotKey === null ? [] : [byteParameter(slotKey)])
  ]
})

/**
 * Plans a read of the latest registrations of the bidders. Its cost grows with the number of bidders,
 * or of the bidders of the forger; both are small, since a registration costs money.
 */
export const readRegistrations = (
  filters: { readonly [Column in "bidder_addr" | "forger_addr"]: string | undefined }
): ListQueryPlan => {
  const selected = Object.entries(filters).flatMap(([column, address]) =>
    address === undefined ? [] : [{ column, address }]
  )
  return readItems(
    ["registrations", ...selected.map(({ column }) => column)].join(" "),
    (parameter) =>
      [
        "SELECT item_id AS item FROM registration WHERE true",
        ...selected.map(({ column }) => `${column} = ${parameter("bytea")}`)
      ].join(" AND "),
    selected.map(({ address }) => hexParameter(address))
  )
}
