import type { BidView } from "../../../core/domain/mod.ts"
import { bid, coordinator, from, shape } from "../entities/mod.ts"

/** Returns SQL for the latest registration of a bidder, as a sub-query with an alias. */
export const registrationOf = (bidder: string, alias: string): string => `
(SELECT c.* FROM registration CROSS JOIN LATERAL (SELECT * FROM coordinator WHERE coordinator.item_id = registration.item_id LIMIT 1) AS c
  WHERE registration.bidder_addr = ${bidder} LIMIT 1) AS ${alias}`

/** A bid `r` with the latest registration `c` of its bidder. */
export const bidView = shape<BidView>({
  bid: from("r", bid),
  coordinator: from("c", coordinator)
})
