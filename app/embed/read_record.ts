import { Schema } from "effect"
import { FeedRecord, GenesisFeed } from "../../core/mod.ts"
import { read } from "./_inputs.ts"
import { badInput } from "./node_error.ts"

/**
 * Returns the record in one line of a feed, for `applyRecord`. Throws a `NodeError` (`BadInput`) with
 * all violations if the line is not JSON or not a record.
 *
 * @example
 * ```ts
 * import { NodeError, openNode, readRecord } from "rollup-node-api/embed"
 * import { simulate, writeFeed } from "rollup-node-api/simulator"
 *
 * await using node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * for (const line of writeFeed(simulate({ seed: 1 }), 100)) await node.applyRecord(readRecord(line))
 * console.log((await node.list("transactions")).counts.totalItems >= 100) // => true
 * try {
 *   readRecord(`{"kind":"rollBack","toBlock":"-1"}`)
 * } catch (error) {
 *   if (error instanceof NodeError) console.log(error.violations[0]?.path) // => /toBlock
 * }
 * ```
 */
export const readRecord = (line: string): FeedRecord => {
  let json: { readonly kind?: unknown } | null
  try {
    json = JSON.parse(line)
  } catch {
    const value = String(line).slice(0, 200)
    const rule = `a line of a feed, as JSON${value[0] === "\ufeff" ? ", no byte order mark" : ""}`
    const message = `Argument line has the invalid value ${JSON.stringify(value)}: expected ${rule}`
    throw badInput([{ path: "", value, rule, message }])
  }
  return read(schemaOfKind(json?.kind), json, "The record")
}

/** Returns whether a value is the JSON of a record, which `readRecord` has to decode. */
export const isRecordJson = (input: unknown): boolean =>
  Schema.is(Schema.toEncoded(FeedRecord))(input)

/**
 * Returns the genesis in a value: a genesis, or a genesis record as `JSON.parse` returns it. Throws a
 * `NodeError` with all violations.
 */
export const readGenesis = (input: unknown): unknown => {
  const record = Object(input) as { readonly kind?: unknown; readonly genesis?: unknown }
  if (record.kind !== "genesis") return input
  if (Schema.is(GenesisFeed)(record.genesis)) return record.genesis
  return (read(schemaOfKind("genesis"), input, "The genesis record") as { genesis: unknown })
    .genesis
}

/** Returns the schema of the records of a kind, or that of all records. */
const schemaOfKind = (kind: unknown): Schema.Codec<FeedRecord, unknown> =>
  FeedRecord.members.find(({ fields }) => fields.kind.literal === kind) ?? FeedRecord
