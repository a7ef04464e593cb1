import { Effect } from "effect"
import { feeUnits, type TokenId } from "../../../domain/mod.ts"
import type { GroupId } from "../../../encoding/mod.ts"
import type { Pooled, StoreFailure } from "../../../ports/mod.ts"
import type { PoolPorts } from "../_optimistic_change.ts"

/** A pending transaction and its fee in US dollars. */
export interface CandidateTransaction {
  readonly row: Pooled
  readonly feeUSD: number
}

/** Transactions that are selected together: one that was posted alone, or those of a group. */
export interface Candidate {
  /** In forging order. */
  readonly transactions: ReadonlyArray<CandidateTransaction>
  /** The average fee in US dollars. */
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
 * Returns a function that returns the pending transactions and groups of all tokens one by one, the
 * greatest fee in US dollars first, then the first to arrive, and null after the last. It reads pages
 * only if they are needed.
 */
export const openCandidates = Effect.fnUntraced(function*(ports: PoolPorts) {
  const { pool, reader } = ports
  // the one whose turn is next is the last
  const sources: Array<Stream | Candidate> = []
  const groups = new Set<GroupId>()
  const insert = (source: Stream | Candidate): void => {
    const next = nextOf(source)
    const index = sources.findIndex((other) => compareCandidates(nextOf(other), next) < 0)
    sources.splice(index < 0 ? sources.length : index, 0, source)
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
    for (;;) {
      const source = sources.pop()
      if (source === undefined) return null
      if ("transactions" in source) return source
      const row = source.rows[source.at]!
      if (source.at + 1 < source.rows.length) insert({ ...source, at: source.at + 1 })
      else yield* read(source, row)
      const { group } = row.transaction
      if (group === undefined) return nextOf(source)
      // the transaction of a group with the greatest fee comes first: its turn is at the average
      if (groups.has(group.id)) continue
      groups.add(group.id)
      const candidate = yield* groupCandidate(ports, group.id)
      // if the group changed since the page was read, it has no turn
      if (candidate.transactions.length === group.size) insert(candidate)
    }
  })
})

/** Returns the pending transactions of a group, which are all or none unless the pool changes. */
export const groupCandidate = Effect.fnUntraced(function*(ports: PoolPorts, id: GroupId) {
  const rows = yield* ports.pool.members([id])
  const transactions = yield* Effect.forEach(
    rows.filter(({ transaction }) => transaction.state === "pend"),
    (row) => candidateOf(ports, row)
  )
  const sumUSD = transactions.reduce((sum, { feeUSD }) => sum + feeUSD, 0)
  return { transactions, feeUSD: sumUSD / transactions.length }
})

/** Returns a pending transaction with its fee in US dollars. */
export const candidateOf = (
  { reader }: Pick<PoolPorts, "reader">,
  row: Pooled
): Effect.Effect<CandidateTransaction, StoreFailure> =>
  Effect.map(
    unitUSDOf(reader, row.transaction.tokenId),
    (unitUSD) => ({ row, feeUSD: feeUSDOf(row, unitUSD) })
  )

const unitUSDOf = (reader: PoolPorts["reader"], tokenId: TokenId) =>
  Effect.map(
    reader.find("token", tokenId),
    ({ item }) => (item?.priceUSD ?? 0) / 10 ** (item?.decimals ?? 0)
  )

/** Returns the next candidate of a source: of a stream its next transaction. */
const nextOf = (source: Stream | Candidate): Candidate => {
  if ("transactions" in source) return source
  const row = source.rows[source.at]!
  const feeUSD = feeUSDOf(row, source.unitUSD)
  return { transactions: [{ row, feeUSD }], feeUSD }
}

/** Compares by fee, the greatest first, then by arrival. */
export const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.feeUSD - a.feeUSD || a.transactions[0]!.row.arrival - b.transactions[0]!.row.arrival

const feeUSDOf = ({ transaction }: Pooled, unitUSD: number): number =>
  unitUSD * Number(feeUnits(transaction))
