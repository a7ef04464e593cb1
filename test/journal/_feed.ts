import { Exit } from "effect"
import { type FeedRecord, type GenesisFeed, readFeedLine } from "../../core/domain/mod.ts"

/** A feed whose records are decoded on demand. */
export interface LazyFeed {
  readonly genesis: GenesisFeed
  readonly length: number
  readonly at: (index: number) => FeedRecord
}

/** Returns the feed of a text. Throws if a line is invalid. */
export function readFeed(text: string): LazyFeed {
  const [first, ...lines] = text.trimEnd().split("\n")
  const genesis = recordOf(first!)
  if (genesis.kind !== "genesis") throw new Error("The feed does not start with a genesis")
  return { genesis: genesis.genesis, length: lines.length, at: (index) => recordOf(lines[index]!) }
}

function recordOf(line: string): FeedRecord {
  const record = readFeedLine(line)
  if (Exit.isFailure(record)) throw new Error(`The line ${line.slice(0, 80)} cannot be read`)
  return record.value
}
