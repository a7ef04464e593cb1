import {
  type LedgerPart,
  ledgerParts,
  type LedgerSnapshot,
  type PartVersions
} from "../../../core/ports/mod.ts"

/*
 * `ledger.part_versions`: the version that the array belongs to, and then of each part of the
 * ledger the version that changed it last. Where it belongs to another version, or has another
 * length, a program that knew nothing of it, or of other parts, has written since: then every part
 * may have changed.
 */

/**
 * Returns an assignment for an UPDATE of `ledger`: `$1` is the new version, `parameter` the array
 * of `partFlags`.
 */
export const raiseParts = (parameter: number): string => `
part_versions = ARRAY[$1::bigint] || ARRAY(
  SELECT CASE
    WHEN raised.one OR ledger.part_versions[1] IS DISTINCT FROM ledger.version OR cardinality(ledger.part_versions) <> ${
  ledgerParts.length + 1
} THEN $1::bigint
    ELSE ledger.part_versions[raised.place + 1]
  END FROM unnest($${parameter}::boolean[]) WITH ORDINALITY AS raised (one, place) ORDER BY raised.place
)`

export const partFlags = (changed: ReadonlySet<LedgerPart>): string =>
  `{${ledgerParts.map((part) => changed.has(part)).join(",")}}`

/** SQL for the snapshot of a row of `ledger` as one text, the payload of a notification. */
export const versionPayloadSql =
  "concat_ws(' ', ledger.version, ledger.ethereum_block_num, coalesce(ledger.batch_num::text, '-'), array_to_string(ledger.part_versions, ','))"

/** Returns the version of a payload, and the snapshot if the versions of its parts are known. */
export const parseVersionPayload = (
  payload: string
): { readonly version: number; readonly snapshot: LedgerSnapshot | null } => {
  const [version, blockNum, batchNum, parts = ""] = payload.split(" ")
  const [of, ...versions] = parts.split(",").map(Number)
  const stamp = {
    version: Number(version),
    ethereumBlockNum: BigInt(blockNum ?? 0),
    batchNum: batchNum === "-" ? null : Number(batchNum)
  }
  return {
    version: stamp.version,
    snapshot: of === stamp.version && versions.length === ledgerParts.length
      ? {
        stamp: Object.freeze(stamp),
        parts: Object.fromEntries(
          ledgerParts.map((part, place) => [part, versions[place]!])
        ) as PartVersions
      }
      : null
  }
}
