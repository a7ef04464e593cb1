import type { BlockFeed, FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import { SeededRandom } from "./_seeded_random.ts"

/*
 * Feeds that leave out empty blocks. `withGaps` makes one of any feed, and `withEmptyBlocks` adds
 * what it leaves out, so that the answers over both can be compared.
 */

/** Numbers of empty blocks between two blocks; most of them fit into one slot. */
const lengths = [1, 1, 2, 3, 9, 40] as const

interface Head {
  readonly number: bigint
  readonly hash: string
}

/**
 * Returns the feed of another network with the same events, in which about every second block
 * follows a gap of empty blocks. Its rollbacks go to stored blocks, into gaps, and to the last block
 * of a gap.
 *
 * @example
 * ```ts
 * import { simulate } from "rollup-node-api/simulator"
 * import { withGaps } from "rollup-node-api/testing"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const records = withGaps(genesis, Array.from({ length: 20 }, next), "1")
 * console.log(records.some((record) => record.kind === "block" && "previous" in record.block)) // => true
 * ```
 */
export function withGaps(
  genesis: GenesisFeed,
  records: Iterable<FeedRecord>,
  seed: string | number
): ReadonlyArray<FeedRecord> {
  const random = new SeededRandom(`${seed}/gaps`)
  /** The stored blocks, each with its number in the given feed. */
  const chain = [{ ...genesis.block, givenNumber: genesis.block.number }]
  /** The last block of the chain, stored or empty. */
  let head: Head = genesis.block
  const renumbered = new Map<string, BlockFeed>()

  const add = (given: BlockFeed): BlockFeed => {
    const known = chain.some(({ hash }) => hash === given.hash)
      ? renumbered.get(given.hash)
      : undefined
    if (known !== undefined) return known
    const empty = random.chance(0.5) ? 0 : random.of(lengths)
    const { hash, number: last } = chain.at(-1)!
    const number = head.number + 1n + BigInt(empty)
    const { lastEthereumBlock, previous: _, ...content } = given
    const block = {
      ...content,
      number,
      parentHash: empty === 0 ? head.hash : emptyHashOf(number - 1n),
      // it may also be named without a gap
      ...(number > last + 1n || random.chance(0.1) ? { previous: { number: last, hash } } : {}),
      ...(lastEthereumBlock === undefined
        ? {}
        : { lastEthereumBlock: number + lastEthereumBlock - given.number })
    }
    head = block
    chain.push({ ...block, givenNumber: given.number })
    renumbered.set(given.hash, block)
    return block
  }
  const rollBack = (givenNumber: bigint): bigint => {
    const firstDropped = chain.find((block) => block.givenNumber > givenNumber)
    if (firstDropped !== undefined) chain.length = chain.indexOf(firstDropped)
    const last = chain.at(-1)!
    const empty = (firstDropped ?? head).number - last.number - 1n
    const kept = empty < 1n
      ? 0n
      : random.of([0n, 1n, (empty + 1n) / 2n, empty])
    if (firstDropped !== undefined || kept > 0n) {
      head = kept === 0n
        ? last
        : { number: last.number + kept, hash: emptyHashOf(last.number + kept) }
    }
    return head.number
  }

  return Array.from(records, (record): FeedRecord => {
    if (record.kind === "block") return { kind: "block", block: add(record.block) }
    if (record.kind === "head") {
      const { givenNumber, number } = chain.at(-1)!
      const moved = number - givenNumber
      const { head } = record
      return {
        kind: "head",
        head: { ...head, number: head.number + moved, chainHead: head.chainHead + moved }
      }
    }
    return record.kind === "rollBack"
      ? { kind: "rollBack", toBlock: rollBack(record.toBlock) }
      : record
  })
}

/**
 * Returns a feed of `withGaps` with its empty blocks, and without `previous`. Each of them has the
 * time of the block before it.
 *
 * @example
 * ```ts
 * import { simulate } from "rollup-node-api/simulator"
 * import { withEmptyBlocks, withGaps } from "rollup-node-api/testing"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const records = withGaps(genesis, Array.from({ length: 20 }, next), "1")
 * const dense = withEmptyBlocks(genesis, records).flat()
 * console.log(dense.length > records.length) // => true
 * ```
 *
 * @returns for each record the records that stand for it
 */
export function withEmptyBlocks(
  { block: genesisBlock }: GenesisFeed,
  records: Iterable<FeedRecord>
): ReadonlyArray<ReadonlyArray<FeedRecord>> {
  const chain: Array<Head & { readonly timestampMs: number }> = [genesisBlock]
  return Array.from(records, (record): ReadonlyArray<FeedRecord> => {
    if (record.kind === "rollBack") {
      while (chain.at(-1)!.number > record.toBlock) chain.pop()
    }
    if (record.kind !== "block") return [record]
    const { previous: _, ...block } = record.block
    const blocks: Array<BlockFeed> = []
    for (let last = chain.at(-1)!; last.number < block.number - 1n; last = chain.at(-1)!) {
      const number = last.number + 1n
      const hash = emptyHashOf(number)
      blocks.push({ number, hash, parentHash: last.hash, timestampMs: last.timestampMs })
      chain.push(blocks.at(-1)!)
    }
    // not if it is repeated
    if (block.number > chain.at(-1)!.number) chain.push(block)
    return [...blocks, block].map((each): FeedRecord => ({ kind: "block", block: each }))
  })
}

/** Returns the records with a gap of `empty` blocks before the last one, which must be a block. */
export function afterGapOf(
  records: ReadonlyArray<FeedRecord>,
  empty: bigint
): ReadonlyArray<FeedRecord> {
  const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
  const [previous, last] = blocks.slice(-2) as [BlockFeed, BlockFeed]
  const number = last.number + empty
  return [...records.slice(0, -1), {
    kind: "block",
    block: {
      ...last,
      number,
      parentHash: emptyHashOf(number - 1n),
      previous: { number: previous.number, hash: previous.hash }
    }
  }]
}

/** No other block has such a hash. */
const emptyHashOf = (number: bigint): string => `0xe${number.toString(16).padStart(63, "0")}`
