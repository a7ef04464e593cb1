import { Effect } from "effect"
import { feeUnits, type TokenId } from "../../domain/mod.ts"
import type { Pooled, StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "./_optimistic_change.ts"

/** A pending transaction and its fee in US dollars. */
export interface Candidate {
  readonly row: Pooled
  readonly feeUSD: number
}

/** Pending transactions of one token, read page by page. */
interface Stream {
  readonly tokenId: TokenId
  readonly unitUSD: number
  readonly rows: ReadonlyArray<Pooled>
  readonly at: number
}

/** Rows per read. */
const PAGE = 256

/**
 * Returns an iterator over the pending transactions of all tokens by descending fee in US dollars:
 * each call returns the next one, and null after the last. It reads no more pages than it needs.
 */
export const openCandidates = Effect.fnUntraced(function*({ pool, reader }: PoolPorts) {
  // ascending by the next fee in US dollars, so that the best one is the last
  const streams: Array<Stream> = []
  const put = (stream: Stream): void => {
    const worth = nextWorth(stream)
    const place = streams.findIndex((other) => nextWorth(other) > worth)
    streams.splice(place < 0 ? streams.length : place, 0, stream)
  }
  const read = Effect.fnUntraced(
    function*(stream: Omit<Stream, "rows" | "at">, after: Pooled | null) {
      const rows = yield* pool.pendingByFee({ tokenId: stream.tokenId, after, limit: PAGE })
      if (rows.length > 0) put({ ...stream, rows, at: 0 })
    }
  )
  for (const tokenId of yield* pool.pendingTokens) {
    yield* read({ tokenId, unitUSD: yield* unitUSDOf(reader, tokenId) }, null)
  }
  return Effect.fnUntraced(function*(): Effect.fn.Return<Candidate | null, StoreFailure> {
    const stream = streams.pop()
    if (stream === undefined) return null
    const row = stream.rows[stream.at]!
    if (stream.at + 1 < stream.rows.length) put({ ...stream, at: stream.at + 1 })
    else yield* read(stream, row)
    return { row, feeUSD: worthOf(row, stream.unitUSD) }
  })
})

/** Returns a pending transaction outside of the order by fee, with its fee in US dollars. */
export const candidateOf = (
  { reader }: Pick<PoolPorts, "reader">,
  row: Pooled
): Effect.Effect<Candidate, StoreFailure> =>
  Effect.map(
    unitUSDOf(reader, row.transaction.tokenId),
    (unitUSD) => ({ row, feeUSD: worthOf(row, unitUSD) })
  )

const unitUSDOf = (reader: PoolPorts["reader"], tokenId: TokenId) =>
  Effect.map(
    reader.find("token", tokenId),
    ({ item }) => (item?.priceUSD ?? 0) / 10 ** (item?.decimals ?? 0)
  )

const nextWorth = ({ at, rows, unitUSD }: Stream): number => worthOf(rows[at]!, unitUSD)

const worthOf = ({ transaction }: Pooled, unitUSD: number): number =>
  unitUSD * Number(feeUnits(transaction))
