import { type FeedRecord, writeFeedLine } from "../core/mod.ts"

/**
 * Those records of a feed that its ledger was not told yet: a feed that begins with what was stored goes on behind it, rollbacks included,
 * which could not be applied a second time. From the first record on that differs all are passed on, and the ledger judges.
 */
export async function* newRecords(records: AsyncIterable<FeedRecord>, stored: Iterator<string>): AsyncGenerator<FeedRecord, void> {
  const hashes = new Set<string>()
  // its genesis was compared when the stores were opened
  stored.next()
  let next: string | undefined = stored.next().value
  for await (const record of records) {
    if (next !== undefined) {
      if (writeFeedLine(record) === next) {
        if (record.kind === "block") hashes.add(record.block.hash)
        next = stored.next().value
        continue
      }
      // sent twice, which the ledger has not noted
      if (record.kind === "genesis" || (record.kind === "block" && hashes.has(record.block.hash))) continue
      next = undefined
    }
    yield record
  }
}
