import { Effect } from "effect"
import { feeUnits, type TokenId } from "../../domain/mod.ts"
import type { Pooled, StoreFailure } from "../../ports/mod.ts"
import type { PoolPorts } from "./_ports.ts"

/** A pending transaction and what its fee is worth. */
export interface Candidate {
  readonly row: Pooled
  readonly feeUSD: number
}

/** Pending transactions of one token, read as far as they are asked for. */
interface Stream {
  readonly tokenId: TokenId
  readonly unitUSD: number
  readonly rows: ReadonlyArray<Pooled>
  readonly at: number
}

/** Rows that are read at once. */
const PAGE = 256

/**
 * Pending transactions of all tokens by their fee in US dollars, descending: each call gives the next one, and null after the last.
 * No more is read than is asked for.
 */
export const openCandidates = Effect.fnUntraced(function*({ pool, reader }: PoolPorts) {
  // ascending by the worth of the next fee, so that the best one is the last
  const streams: Array<Stream> = []
  const put = (stream: Stream): void => {
    const worth = worthOf(stream)
    const place = streams.findIndex((other) => worthOf(other) > worth)
    streams.splice(place < 0 ? streams.length : place, 0, stream)
  }
  const read = Effect.fnUntraced(function*(stream: Omit<Stream, "rows" | "at">, after: Pooled | null) {
    const rows = yield* pool.pendingByFee({ tokenId: stream.tokenId, after, limit: PAGE })
    if (rows.length > 0) put({ ...stream, rows, at: 0 })
  })
  for (const tokenId of yield* pool.pendingTokens) {
    const { item } = yield* reader.find("token", tokenId)
    yield* read({ tokenId, unitUSD: (item?.priceUSD ?? 0) / 10 ** (item?.decimals ?? 0) }, null)
  }
  return Effect.fnUntraced(function*(): Effect.fn.Return<Candidate | null, StoreFailure> {
    const stream = streams.pop()
    if (stream === undefined) return null
    const row = stream.rows[stream.at]!
    if (stream.at + 1 < stream.rows.length) put({ ...stream, at: stream.at + 1 })
    else yield* read(stream, row)
    return { row, feeUSD: worthOf(stream) }
  })
})

const worthOf = ({ at, rows, unitUSD }: Stream): number => unitUSD * Number(feeUnits(rows[at]!.transaction))
