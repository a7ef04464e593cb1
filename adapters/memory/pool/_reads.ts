import { Effect } from "effect"
import type {
  Pooled,
  PoolPage,
  PoolPageQuery,
  PoolStore,
  StoreFailure
} from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import type { MemoryPool } from "./_memory_pool.ts"
import { byArrival, lastBatchOf, type PoolRow, rowOf } from "./_pool_rows.ts"

/** Runs a synchronous read of a pool. */
export type RunRead = <A>(read: () => A) => Effect.Effect<A, StoreFailure>

/** Returns the reads of a pool, each of which `run` runs. */
export const poolReads = (pool: MemoryPool, run: RunRead = Effect.sync) => {
  const { rows, reconciledBatches } = pool
  return {
    transaction: (id) => run(() => rows.get(id)?.pooled.transaction ?? null),
    authorization: (address) => run(() => pool.authorizations.get(address) ?? null),
    transitions: (id) => run(() => pool.transitions.get(id)?.transitions ?? []),
    skippedTransaction: (id) => run(() => pool.skippedTransactions.get(id) ?? null),
    counts: run(() => rows.counts),
    pooled: (ids) => run(() => ids.flatMap((id) => rows.get(id)?.pooled ?? [])),
    members: (ids) => run(() => ids.flatMap((id) => rows.members(id))),
    pendingOf: (index) => run(() => rows.pendingOf(index)),
    pendingTokens: run(() => [...rows.byFee.keys()].sort((one, other) => one - other)),
    pendingByFee: ({ tokenId, after, limit }) =>
      run(() => {
        const order = rows.byFee.get(tokenId)
        const rest = after === null ? order : order?.after(rowOf(after))
        return takeWhile(rest ?? [], () => true, limit)
      }),
    pendingSince: ({ beforeMs, limit }) =>
      run(() => takeWhile(rows.bySince, ({ pooled }) => pooled.sinceMs < beforeMs, limit)),
    pendingExpired: (belowBatchNum) =>
      run(() =>
        takeWhile(
          rows.byLastBatch,
          (row) => lastBatchOf(row) < belowBatchNum
        )
      ),
    pendingBelow: (nonces) =>
      run(() =>
        nonces.flatMap(({ index, nonce }) =>
          takeWhile(
            rows.byNonce.get(index) ?? [],
            ({ pooled }) => pooled.transaction.nonce < nonce
          )
        )
      ),
    inBatches: ({ state, from, to }) =>
      run(() =>
        takeWhile(
          rows.byBatch[state].from((row) => batchNumOf(row) < from),
          (row) => batchNumOf(row) <= to
        )
      ),
    list: (query) => run(() => pageOf(pool, query)),
    reconciledBatchesBelow: ({ batchNum, limit }) =>
      run(() => {
        const end = firstNot(
          0,
          reconciledBatches.length,
          (index) => reconciledBatches[index]!.batchNum < batchNum
        )
        return reconciledBatches.slice(Math.max(0, end - limit), end).reverse()
      })
  } satisfies Partial<PoolStore["Service"]>
}

const pageOf = (
  { rows: all, skippedTransactions, transitions }: MemoryPool,
  { filters, fromArrival, limit, order }: PoolPageQuery
): PoolPage => {
  const lists = all.lists(filters)
  const isAscending = order === "ASC"
  const places = lists.map((list) => {
    if (fromArrival === null) return isAscending ? 0 : list.length
    return list.rank(({ pooled: { arrival } }) =>
      isAscending ? arrival < fromArrival : arrival <= fromArrival
    )
  })
  const rows = lists.flatMap((list, i) =>
    isAscending
      ? list.slice(places[i]!, places[i]! + limit)
      : list.slice(places[i]! - limit, places[i]!)
  ).sort(byArrival)
  const page = isAscending ? rows.slice(0, limit) : rows.reverse().slice(0, limit)
  const reached = sum(places)
  const ends = lists.flatMap((list) => [
    ...list.slice(0, 1),
    ...list.slice(list.length - 1, list.length)
  ]).sort(byArrival)
  const totalItems = sum(lists.map(({ length }) => length))
  const itemIdOf = (row: PoolRow | undefined) => row === undefined ? null : row.pooled.arrival + 1
  return {
    items: page.map(({ pooled }) => ({
      pooled,
      skipped: skippedTransactions.get(pooled.transaction.id) ?? null,
      invalidReason: pooled.transaction.state === "invl"
        ? transitions.get(pooled.transaction.id)!.transitions.at(-1)!.reason
        : null
    })),
    counts: {
      pendingItems: (isAscending ? totalItems - reached : reached) - page.length,
      totalItems,
      firstItem: itemIdOf(ends.at(0)),
      lastItem: itemIdOf(ends.at(-1))
    }
  }
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

const batchNumOf = ({ pooled }: PoolRow): number => pooled.transaction.batchNum ?? 0

/** Returns the leading rows for which `holds` is true, at most `limit` of them. */
function takeWhile(
  rows: Iterable<PoolRow>,
  holds: (row: PoolRow) => boolean,
  limit = Infinity
): ReadonlyArray<Pooled> {
  const taken: Array<Pooled> = []
  for (const row of rows) {
    if (taken.length >= limit || !holds(row)) break
    taken.push(row.pooled)
  }
  return taken
}
