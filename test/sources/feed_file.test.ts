import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { feedFrom, FeedFileError } from "../../app/sources/feed_file.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { type FeedRecord, writeFeedLine } from "../../core/mod.ts"
import { fileWith } from "./_file.ts"

const { genesis } = simulate({ seed: 1 })
const genesisLine = writeFeedLine({ kind: "genesis", genesis })

/** Returns a block with a token of this name. */
const blockNamed = (name: string): FeedRecord => ({
  kind: "block",
  block: {
    number: genesis.block.number + 1n,
    hash: `0x${"1".repeat(64)}`,
    parentHash: genesis.block.hash,
    timestampMs: genesis.block.timestampMs + 12_000,
    tokens: [{ id: 1, ethereumAddress: `0x${"2".repeat(40)}`, name, symbol: "ONE", decimals: 18 }]
  }
})

/** Reads the records of a feed with these bytes behind the genesis. */
const recordsIn = Effect.fnUntraced(function*(bytes: Uint8Array) {
  const content = Buffer.concat([Buffer.from(`${genesisLine}\n`), bytes])
  const { records } = yield* feedFrom(yield* fileWith("feed.ndjson", content))
  return yield* Effect.tryPromise({
    try: async () => {
      const all: Array<FeedRecord> = []
      for await (const record of records) all.push(record)
      return all
    },
    catch: (error) => error as FeedFileError
  })
})

describe("a feed in a file", () => {
  it.live("has a record in each line: only a line feed ends a line, whatever a name contains", () =>
    Effect.gen(function*() {
      // longer than what one read of a file returns
      const names = ["a\u2028b", "\u2029", "é", "𝄞", "\ud800", "long ".repeat(40_000), "", "last"]
      const records = names.map(blockNamed)
      const lines = records.map(writeFeedLine)
      for (const [end, after] of [["\n", ""], ["\r\n", "\r\n"], ["\n\n", "\n \n"]] as const) {
        const found = yield* recordsIn(Buffer.from(lines.join(end) + after))
        assert.deepStrictEqual(found, records)
      }
    }))

  it.live("is refused in the line that is not UTF-8", () =>
    Effect.gen(function*() {
      const good = writeFeedLine(blockNamed("One"))
      const bad = Buffer.from(writeFeedLine(blockNamed("Café")), "latin1")
      const { message } = yield* Effect.flip(
        recordsIn(Buffer.concat([Buffer.from(`${good}\n\n`), bad, Buffer.from(`\n${good}\n`)]))
      )
      assert.match(message, /^Feed ".*feed\.ndjson", line 4: expected UTF-8$/u)
    }))

  it.live("is refused in the line that is not JSON, with the place", () =>
    Effect.gen(function*() {
      const line = writeFeedLine(blockNamed("One"))
      const invalid: ReadonlyArray<readonly [string, RegExp]> = [
        [`\ufeff${line}`, /line 3: expected a record in JSON, here no byte order mark, found "/u],
        [line.slice(0, -1), /line 3: expected a record in JSON, here .*, found the end$/u],
        [`[${line}]`, /line 3: expected a record in JSON, here an object: \{, found "\[/u],
        [`{"kind":"x"}`, /line 3: Expected a record of kind genesis/u]
      ]
      for (const [bad, pattern] of invalid) {
        const { message } = yield* Effect.flip(recordsIn(Buffer.from(`${line}\n${bad}\n${line}`)))
        assert.match(message, pattern)
      }
    }))
})
