import type { BlockFeed, FeedRecord } from "../../core/domain/mod.ts"

/**
 * Yields the records with heads between them: some state that the chain has newer blocks, some that
 * the writer has read blocks after the last one. The next block of a simulated network follows the
 * last one, so it comes after a head that is as low as the last block.
 */
export function* withHeads(records: Iterable<FeedRecord>): Generator<FeedRecord, void> {
  const heads = new Heads()
  for (const record of records) {
    yield* heads.before(record)
    yield record
    yield* heads.after(record)
  }
}

/** The heads before and after each record. */
export class Heads {
  /** The head to send before the next block, which would contradict the last head. */
  #lower: FeedRecord | undefined

  before({ kind }: FeedRecord): ReadonlyArray<FeedRecord> {
    const lower = this.#lower
    // a price leaves the head, and a rollback removes it
    if (lower === undefined || kind === "prices") return []
    this.#lower = undefined
    return kind === "block" ? [lower] : []
  }

  after(record: FeedRecord): ReadonlyArray<FeedRecord> {
    if (record.kind !== "block") return []
    const { number } = record.block
    const own = headOf(record.block, 0n, number + 2n)
    const behind = number % 4n === 1n ? [own] : []
    if (number % 3n !== 2n) return behind
    this.#lower = own
    const blocks = 1n + number % 50n
    return [...behind, headOf(record.block, blocks, number + blocks + number % 4n)]
  }
}

/** Returns a head some blocks after a block. */
const headOf = (
  { hash, number, timestampMs }: BlockFeed,
  blocks: bigint,
  chainHead: bigint
): FeedRecord => ({
  kind: "head",
  head: {
    number: number + blocks,
    hash: blocks === 0n ? hash : `0x${String(number).padStart(64, "5")}`,
    timestampMs: timestampMs + 12_000 * Number(blocks),
    chainHead
  }
})
