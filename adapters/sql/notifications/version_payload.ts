import {
  type LedgerPart,
  ledgerParts,
  type LedgerSnapshot,
  type PartVersions
} from "../../../core/ports/mod.ts"

/*
 * `ledger.part_versions` holds the version to which the array belongs, then for each part of the
 * ledger the version that last changed it. If it belongs to another version or has another length,
 * a program with other parts has written since, and every part may have changed.
 */

/**
 * Returns the assignment of `part_versions` in an UPDATE of `ledger`: `$1` is the new version, and
 * `parameter` is the number of the parameter from `changedParts`.
 */
export const setPartVersions = (parameter: number): string => `
part_versions = ARRAY[$1::bigint] || ARRAY(
  SELECT CASE
    WHEN raised.one OR ledger.part_versions[1] IS DISTINCT FROM ledger.version OR cardinality(ledger.part_versions) <> ${
  ledgerParts.length + 1
} THEN $1::bigint
    ELSE ledger.part_versions[raised.place + 1]
  END FROM unnest($${parameter}::boolean[]) WITH ORDINALITY AS raised (one, place) ORDER BY raised.place
)`

/** SQL for the `part_versions` of version 0. */
export const noPartVersions = `array_fill(0::bigint, ARRAY[${ledgerParts.length + 1}])`

/** Returns a parameter with a boolean for each part of the ledger: whether it has changed. */
export const changedParts = (changed: ReadonlySet<LedgerPart>): string =>
  `{${ledgerParts.map((part) => changed.has(part)).join(",")}}`

/** SQL for the payload of a notification: the snapshot of a row of `ledger` as one text. */
export const versionPayloadSql =
  "concat_ws(' ', ledger.version, ledger.ethereum_block_num, coalesce(ledger.batch_num::text, '-'), array_to_string(ledger.part_versions, ','), CASE WHEN ledger.head_number > ledger.ethereum_block_num THEN ledger.head_number END)"

/** Returns the version of a payload, and its snapshot, or null if the part versions are unknown. */
export const parseVersionPayload = (
  payload: string
): { readonly version: number; readonly snapshot: LedgerSnapshot | null } => {
  const [version, blockNum, batchNum, parts = "", head] = payload.split(" ")
  const [ownVersion, ...versions] = parts.split(",").map(Number)
  const snapshotId = {
    version: Number(version),
    ethereumBlockNum: BigInt(blockNum ?? 0),
    ...head === undefined ? {} : { headBlockNum: BigInt(head) },
    batchNum: batchNum === "-" ? null : Number(batchNum)
  }
  return {
    version: snapshotId.version,
    snapshot: ownVersion === snapshotId.version && versions.length === ledgerParts.length
      ? {
        snapshotId: Object.freeze(snapshotId),
        parts: Object.fromEntries(
          ledgerParts.map((part, i) => [part, versions[i]!])
        ) as PartVersions
      }
      : null
  }
}
