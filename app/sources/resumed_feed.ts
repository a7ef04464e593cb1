import {
  type EthereumBlock,
  type FeedRecord,
  type GenesisFeed,
  writeFeedLine
} from "../../core/mod.ts"
import { FeedFileError } from "./feed_file.ts"

/**
 * Yields the records of a feed that are not stored yet. Skips the records that the store holds in
 * the same order, including rollbacks, which cannot be applied twice. From the first difference on, yields
 * all records, and the ledger accepts or refuses them.
 */
export async function* skipStored(
  records: AsyncIterable<FeedRecord>,
  stored: Iterator<string>
): AsyncGenerator<FeedRecord, void> {
  const hashes = new Set<string>()
  // opening the stores has compared the genesis
  stored.next()
  let next: string | undefined = stored.next().value
  for await (const record of records) {
    if (next !== undefined) {
      if (isStoredAs(record, next)) {
        if (record.kind === "block") hashes.add(record.block.hash)
        next = stored.next().value
        continue
      }
      // a duplicate in the feed, which the ledger has not stored, or a head, which has no record
      if (
        record.kind === "genesis" || record.kind === "head" ||
        (record.kind === "block" && hashes.has(record.block.hash))
      ) {
        continue
      }
      next = undefined
    }
    yield record
  }
}

/**
 * Returns whether a line holds a record. A block is known by its hash: its line also holds what the
 * ledger derived if the feed leaves it out.
 */
const isStoredAs = (record: FeedRecord, line: string): boolean => {
  if (writeFeedLine(record) === line) return true
  if (record.kind !== "block") return false
  const stored = JSON.parse(line) as { readonly block?: { readonly hash: string } }
  return stored.block?.hash === record.block.hash
}

/**
 * Yields the records of a feed after the last block of a ledger, and skips all records before,
 * rollbacks included. Yields all records if the ledger holds only its genesis. Throws a
 * FeedFileError if the feed ends before that block.
 */
export async function* recordsAfter(
  records: AsyncIterable<FeedRecord>,
  genesis: GenesisFeed,
  last: EthereumBlock
): AsyncGenerator<FeedRecord, void> {
  let isAfter = last.number === genesis.block.number
  let isEmpty = true
  for await (const record of records) {
    isEmpty = false
    if (isAfter) yield record
    else {isAfter = record.kind === "block" && record.block.number === last.number &&
        record.block.hash === last.hash}
  }
  // a feed with only a genesis record is valid: blocks then come from elsewhere
  if (!isAfter && !isEmpty) throw missingLastBlock(last)
}

/** Returns the error for a feed that ends before the last block of the ledger. */
export const missingLastBlock = ({ hash, number }: EthereumBlock): FeedFileError =>
  new FeedFileError({
    message:
      `The feed does not contain the last block of the ledger, ${number} (${hash}): expected a feed of the same chain that reaches it`
  })
