import { deserialize } from "node:v8"
import { inflateRawSync } from "node:zlib"
import type { LedgerImage, PoolImage } from "../../memory/mod.ts"
import { isGrouped, type Manifest, type StoredLists } from "./manifest.ts"
import type { Parts } from "./parts.ts"
import { readRowGroup } from "./row_group.ts"

/** The state of the stores. */
export interface StoreImages {
  readonly ledger: LedgerImage
  readonly pool: PoolImage
}

/**
 * Reads all parts of a checkpoint and compares them with their checksums, those of the feed
 * included. Yields after each part. Throws if a part is damaged.
 */
export function* readImages(
  parts: Parts,
  { feed, ledger, pool }: Manifest
): Generator<void, StoreImages> {
  for (const part of feed) {
    parts.read(part)
    yield
  }
  return {
    ledger: { ...ledger, lists: yield* readLists<LedgerImage["lists"]>(parts, ledger.lists) },
    pool: { ...pool, lists: yield* readLists<PoolImage["lists"]>(parts, pool.lists) }
  }
}

function* readLists<Lists>(parts: Parts, stored: StoredLists): Generator<void, Lists> {
  const lists: Record<string, ReadonlyArray<unknown>> = {}
  for (const [name, { parts: references }] of Object.entries(stored)) {
    const list: Array<unknown> = []
    for (const reference of references) {
      const bytes = parts.read(reference)
      if (isGrouped(name)) list.push(readRowGroup(bytes))
      else for (const row of deserialize(inflateRawSync(bytes)) as Array<unknown>) list.push(row)
      yield
    }
    lists[name] = list
  }
  return lists as unknown as Lists
}
