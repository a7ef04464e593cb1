import { Effect } from "effect"
import { openExitSource, openLevels, slotKey, wonSlotSource } from "../postings/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  itemsPerStatement,
  reportViolations
} from "./_audit_snapshot.ts"

const isOpen = "r.instant_withdrawn IS NULL AND r.delayed_withdrawn IS NULL"
const place = (key: string, item: string): string =>
  `'open_item ' || encode(${key}, 'hex') || ', item ' || ${item}`
/** SQL for the keys of a slot: of the bidder with its best bid, and of won slots if it is won. */
const keysOfSlot = (slot: string): string =>
  `SELECT ${
    slotKey("best.bidder_addr")
  } AS key FROM (SELECT bidder_addr FROM bid WHERE bid.slot_num = ${slot} ORDER BY item_id DESC LIMIT 1) AS best
UNION ALL SELECT won.key FROM (${wonSlotSource(`SELECT ${slot} AS slot_num`, true)}) AS won`

/** Open exits and held slots without their entries in `open_item`. */
const missingExits = `
SELECT ${
  place("source.key", "source.item")
} AS place, 'no entry' AS found, 'one, since exit ' || source.item || ' can be withdrawn' AS expected
FROM (${
  openExitSource(`r.item_id >= $1::bigint AND r.item_id < $2::bigint AND ${isOpen}`)
}) AS source
WHERE NOT EXISTS (SELECT FROM open_item WHERE open_item.key = source.key AND open_item.item = source.item)`
const missingSlots = `
SELECT ${
  place("held.key", "slot.slot_num")
} AS place, 'no entry' AS found, 'one, since the bidder holds the best bid of slot ' || slot.slot_num AS expected
FROM (SELECT DISTINCT slot_num FROM bid WHERE item_id >= $1::bigint AND item_id < $2::bigint) AS slot CROSS JOIN LATERAL (${
  keysOfSlot("slot.slot_num")
}) AS held
WHERE NOT EXISTS (SELECT FROM open_item WHERE open_item.key = held.key AND open_item.item = slot.slot_num)`

const page =
  `SELECT key, item FROM open_item WHERE (key, item) > ($1::bytea, $2::bigint) ORDER BY key, item LIMIT ${itemsPerStatement}`
const lastOfPage =
  `SELECT '\\x' || encode(key, 'hex') AS key, item, (SELECT count(*) FROM (${page}) AS page) AS size FROM (${page}) AS page ORDER BY page.key DESC, page.item DESC LIMIT 1`
/** Entries of `open_item` for items that are not open, or that have another key. */
const needlessEntries = `
SELECT ${
  place("page.key", "page.item")
} AS place, 'an entry' AS found, 'none: it is not open, or not under this key' AS expected FROM (${page}) AS page
WHERE NOT CASE substring(page.key FROM 1 FOR 1)
  WHEN '\\x4f' THEN EXISTS (SELECT FROM (${
  openExitSource(`r.item_id = page.item AND ${isOpen}`)
}) AS source WHERE source.key = page.key)
  ELSE EXISTS (SELECT FROM (${keysOfSlot("page.item")}) AS held WHERE held.key = page.key) END`

/** Counts in `open_count` that differ from the number of entries. */
const wrongCounts = `
SELECT 'open_count ' || encode(key, 'hex') || ', level ' || level || ', bucket ' || bucket AS place, coalesce(counted.items::text, 'no row') AS found, coalesce(there.items::text, 'no row') AS expected
FROM (
  SELECT key, level, item >> bits AS bucket, count(*) AS items FROM open_item CROSS JOIN (VALUES ${
  openLevels.map(({ bits, level }) => `(${level}::smallint, ${bits})`).join(", ")
}) AS levels (level, bits)
  GROUP BY key, level, item >> bits
) AS there FULL JOIN open_count AS counted USING (key, level, bucket) WHERE there.items IS DISTINCT FROM counted.items`

/**
 * Checks that `open_item` has the entries of all open items and no others, and checks `open_count`.
 */
export const auditOpenItems = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { advance, findings, rows } = snapshot
    for (const [table, statement] of [["exit", missingExits], ["bid", missingSlots]] as const) {
      const [last] = yield* rows<{ readonly item: bigint | null }>(
        `SELECT max(item_id) AS item FROM ${table}`
      )
      const end = Number(last?.item ?? 0n)
      for (let from = 0; from <= end; from += itemsPerStatement) {
        yield* reportViolations(
          snapshot,
          "open-items",
          statement,
          `${from}`,
          `${from + itemsPerStatement}`
        )
        yield* advance(0, Math.min(1, (from + itemsPerStatement) / (end + 1)) / 2)
      }
    }
    let [key, item] = ["\\x", "-1"]
    for (;;) {
      const [last] = yield* rows<
        { readonly key: string; readonly item: bigint; readonly size: bigint }
      >(lastOfPage, key, item)
      if (last === undefined) break
      yield* reportViolations(snapshot, "open-items", needlessEntries, key, item)
      findings.checked("open-items", Number(last.size))
      yield* advance(Number(last.size), 0.75)
      ;[key, item] = [last.key, `${last.item}`]
    }
    yield* reportViolations(snapshot, "open-counts", wrongCounts)
    const [counts] = yield* rows<{ readonly size: bigint }>(
      "SELECT count(*) AS size FROM open_count"
    )
    findings.checked("open-counts", Number(counts!.size))
  })
