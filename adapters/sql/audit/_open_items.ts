import { Effect } from "effect"
import { isPendingWithdraw } from "../../../core/domain/mod.ts"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  listedRowsQuery,
  openExitEntries,
  openExitKeys,
  openLevels,
  slotKey,
  wonSlotSource
} from "../postings/mod.ts"
import {
  type AuditSnapshot,
  type AuditStep,
  itemsPerStatement,
  reportViolations,
  rowsPerPage
} from "./_audit_snapshot.ts"

const exitsInRange = listedRowsQuery("exits", "r.item_id >= $1::bigint AND r.item_id < $2::bigint")
const exitsByItem = listedRowsQuery("exits", "r.item_id = ANY($1::bigint[])")
/** The first letter of the keys of exits, as hexadecimal digits. */
const exitPrefix = Buffer.from("O", "latin1").toString("hex")
const needless = { found: "an entry", expected: "none: it is not open, or not under this key" }

const place = (key: string, item: string): string =>
  `'open_item ' || encode(${key}, 'hex') || ', item ' || ${item}`
/** SQL for the keys of a slot: of the bidder with its best bid, and of won slots if it is won. */
const keysOfSlot = (slot: string): string =>
  `SELECT ${
    slotKey("best.bidder_addr")
  } AS key FROM (SELECT bidder_addr FROM bid WHERE bid.slot_num = ${slot} ORDER BY item_id DESC LIMIT 1) AS best
UNION ALL SELECT won.key FROM (${wonSlotSource(`SELECT ${slot} AS slot_num`, true)}) AS won`

/** Given entries that are not in `open_item`. */
const missingExits = `
SELECT ${
  place("source.key", "source.item")
} AS place, 'no entry' AS found, 'one, since exit ' || source.item || ' can be withdrawn' AS expected
FROM (${openExitEntries.source}) AS source
WHERE NOT EXISTS (SELECT FROM open_item WHERE open_item.key = source.key AND open_item.item = source.item)`
/** Held slots without their entries in `open_item`. */
const missingSlots = `
SELECT ${
  place("held.key", "slot.slot_num")
} AS place, 'no entry' AS found, 'one, since the bidder holds the best bid of slot ' || slot.slot_num AS expected
FROM (SELECT DISTINCT slot_num FROM bid WHERE item_id >= $1::bigint AND item_id < $2::bigint) AS slot CROSS JOIN LATERAL (${
  keysOfSlot("slot.slot_num")
}) AS held
WHERE NOT EXISTS (SELECT FROM open_item WHERE open_item.key = held.key AND open_item.item = slot.slot_num)`

const page =
  `SELECT encode(key, 'hex') AS key, item FROM open_item WHERE (key, item) > ($1::bytea, $2::bigint) ORDER BY open_item.key, open_item.item LIMIT ${rowsPerPage}`
/** Given entries for slots that the bidder of the key does not hold. */
const needlessSlots = `
SELECT ${
  place("entry.key", "entry.item")
} AS place, '${needless.found}' AS found, '${needless.expected}' AS expected FROM unnest($1::bytea[], $2::bigint[]) AS entry (key, item)
WHERE NOT EXISTS (SELECT FROM (${keysOfSlot("entry.item")}) AS held WHERE held.key = entry.key)`

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
    const { advance, findings, rows, select } = snapshot
    yield* eachRange(snapshot, "exit", rowsPerPage, (...range) =>
      Effect.flatMap(select(exitsInRange, ...range), (exits) =>
        reportViolations(
          snapshot,
          "open-items",
          missingExits,
          ...openExitEntries.parameters(exits.filter(isPendingWithdraw))
        )))
    yield* eachRange(snapshot, "bid", itemsPerStatement, (...range) =>
      reportViolations(snapshot, "open-items", missingSlots, ...range))
    let [key, item] = ["", -1n]
    for (;;) {
      const entries: ReadonlyArray<OpenEntry> = yield* rows<OpenEntry>(page, `\\x${key}`, `${item}`)
      const last = entries.at(-1)
      if (last === undefined) {
        break
      }
      yield* findNeedless(snapshot, entries)
      findings.checked("open-items", entries.length)
      yield* advance(entries.length, 0.75)
      ;[key, item] = [last.key, last.item]
    }
    yield* reportViolations(snapshot, "open-counts", wrongCounts)
    const [counts] = yield* rows<{ readonly size: bigint }>(
      "SELECT count(*) AS size FROM open_count"
    )
    findings.checked("open-counts", Number(counts!.size))
  })

/** Calls `each` with the first item of a page of a table and that of the next page. */
const eachRange = (
  { advance, rows }: AuditSnapshot,
  table: string,
  size: number,
  each: (from: string, to: string) => AuditStep
): AuditStep =>
  Effect.gen(function*() {
    const [last] = yield* rows<{ readonly item: bigint | null }>(
      `SELECT max(item_id) AS item FROM ${table}`
    )
    const end = Number(last?.item ?? 0n)
    for (let from = 0; from <= end; from += size) {
      yield* each(`${from}`, `${from + size}`)
      yield* advance(0, Math.min(1, (from + size) / (end + 1)) / 2)
    }
  })

interface OpenEntry {
  /** As hexadecimal digits. */
  readonly key: string
  readonly item: bigint
}

/** Reports entries for items that are not open, or that have another key. */
const findNeedless = (
  snapshot: AuditSnapshot,
  entries: ReadonlyArray<OpenEntry>
): AuditStep =>
  Effect.gen(function*() {
    const isOfExit = ({ key }: OpenEntry): boolean => key.startsWith(exitPrefix)
    const ofExits = entries.filter(isOfExit)
    const exits = yield* snapshot.select(
      exitsByItem,
      bigintArray(ofExits.map(({ item }) => item))
    )
    const keys = new Map(
      exits.filter(isPendingWithdraw).map((exit) => [exit.itemId, openExitKeys(exit)])
    )
    for (const { item, key } of ofExits) {
      if (keys.get(Number(item))?.includes(key) === true) continue
      snapshot.findings.violate(
        "open-items",
        `open_item ${key}, item ${item}`,
        needless.found,
        needless.expected
      )
    }
    const ofSlots = entries.filter((entry) => !isOfExit(entry))
    yield* reportViolations(
      snapshot,
      "open-items",
      needlessSlots,
      bytesArray(ofSlots.map(({ key }) => key)),
      bigintArray(ofSlots.map(({ item }) => item))
    )
  })
