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
  /** Value of one unit of the token in US dollars. */
  readonly unitUSD: number
  readonly rows: ReadonlyArray<Pooled>
  /** Position of the next row. */
  readonly at: number
}

/** Number of rows in a read. */
const PAGE = 256

/**
 * Returns a function that returns the pending transactions of all tokens one by one, the greatest
 * fee in US dollars first, and null after the last. It reads pages only if they are needed.
 */
export const openCandidates = Effect.fnUntraced(function*({ pool, reader }: PoolPorts) {
  // ascending by the fee of the next transaction, so that the greatest one is the last
  const streams: Array<Stream> = []
  const insert = (stream: Stream): void => {
    const feeUSD = nextFeeUSD(stream)
    const index = streams.findIndex((other) => nextFeeUSD(other) > feeUSD)
    streams.splice(index < 0 ? streams.length : index, 0, stream)
  }
  const read = Effect.fnUntraced(
    function*(stream: Omit<Stream, "rows" | "at">, after: Pooled | null) {
      const rows = yield* pool.pendingByFee({ tokenId: stream.tokenId, after, limit: PAGE })
      if (rows.length > 0) insert({ ...stream, rows, at: 0 })
    }
  )
  for (const tokenId of yield* pool.pendingTokens) {
    yield* read({ tokenId, unitUSD: yield* unitUSDOf(reader, tokenId) }, null)
  }
  return Effect.fnUntraced(function*(): Effect.fn.Return<Candidate | null, StoreFailure> {
    const stream = streams.pop()
    if (stream === undefined) return null
    const row = stream.rows[stream.at]!
    if (stream.at + 1 < stream.rows.length) insert({ ...stream, at: stream.at + 1 })
    else yield* read(stream, row)
    return { row, feeUSD: feeUSDOf(row, stream.unitUSD) }
  })
})

/** Returns a pending transaction with its fee in US dollars. */
export const candidateOf = (
  { reader }: Pick<PoolPorts, "reader">,
  row: Pooled
): Effect.Effect<Candidate, StoreFailure> =>
  Effect.map(
    unitUSDOf(reader, row.transaction.tokenId),
    (unitUSD) => ({ row, feeUSD: feeUSDOf(row, unitUSD) })
  )

const unitUSDOf = (reader: PoolPorts["reader"], tokenId: TokenId) =>
  Effect.map(
    reader.find("token", tokenId),
    ({ item }) => (item?.priceUSD ?? 0) / 10 ** (item?.decimals ?? 0)
  )

const nextFeeUSD = ({ at, rows, unitUSD }: Stream): number => feeUSDOf(rows[at]!, unitUSD)

const feeUSDOf = ({ transaction }: Pooled, unitUSD: number): number =>
  unitUSD * Number(feeUnits(transaction))
