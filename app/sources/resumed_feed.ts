import {
  type EthereumBlock,
  type FeedRecord,
  type GenesisFeed,
  writeFeedLine
} from "../../core/mod.ts"
import { FeedFileError } from "./feed_file.ts"

/**
 * Those records of a feed that its ledger was not told yet: a feed that begins with what was stored goes on behind it, rollbacks included,
 * which could not be applied a second time. From the first record on that differs all are passed on, and the ledger judges.
 */
export async function* skipStored(
  records: AsyncIterable<FeedRecord>,
  stored: Iterator<string>
): AsyncGenerator<FeedRecord, void> {
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
      if (record.kind === "genesis" || (record.kind === "block" && hashes.has(record.block.hash))) {
        continue
      }
      next = undefined
    }
    yield record
  }
}

/**
 * Those records of a feed that come after the last block of a ledger, where only that one is known: all that was told before it is passed
 * over, rollbacks included. A ledger that holds nothing but its genesis is told everything.
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
  // one that only says which network it is leaves the blocks to somebody else
  if (!isAfter && !isEmpty) throw missingLastBlock(last)
}

/** The feed has ended, and the last block of its ledger did not come. */
export const missingLastBlock = ({ hash, number }: EthereumBlock): FeedFileError =>
  new FeedFileError({
    message:
      `The feed does not tell the last block of the ledger, ${number} (${hash}): expected a feed of the same chain that reaches it`
  })
