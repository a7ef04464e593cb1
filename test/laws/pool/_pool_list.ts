import { Effect } from "effect"
import { poolList, type PoolListFilters, type PoolListQuery } from "../../../core/contract/mod.ts"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import type { Pooled } from "../../../core/ports/mod.ts"
import { findGroup, listPool } from "../../../core/use_cases/pool/mod.ts"
import { same, show } from "../law.ts"
import { pooledOf, type World } from "./_pool_world.ts"

/** How a filter compares the values that its declaration lists. */
interface Declared {
  readonly compared: ReadonlyArray<(row: Pooled) => unknown>
}
const declared = Object.entries(poolList.filters) as unknown as ReadonlyArray<[string, Declared]>

/** Returns filters that do not exclude each other, with values of some of the rows. */
function filtersOf({ random }: World, rows: ReadonlyArray<Pooled>): PoolListFilters {
  const filters: { [name: string]: unknown } = {}
  for (const [name, { compared }] of random.some(declared, 0.25)) {
    const isExcluded = poolList.exclusions.some((pair) =>
      pair.some((each) => each === name) && pair.some((each) => each in filters)
    )
    const value = random.of(compared)(random.of(rows))
    if (!isExcluded && value !== null) filters[name] = value
  }
  return filters
}

const matches = (filters: PoolListFilters) => (row: Pooled): boolean =>
  Object.entries(filters).every(([name, value]) =>
    // a flag that is false does not filter
    value === false ||
    declared.find(([each]) => each === name)![1].compared.some((compare) => compare(row) === value)
  )

/**
 * Each page of the list has the transactions that its filters declare, in the order of their
 * arrival, with exact counts, the token and the owner of the sender.
 */
export const listAgrees = Effect.fnUntraced(
  function*(world: World): Effect.fn.Return<void, Error> {
    const { random, reader, store } = world
    const ports = { reader, pool: store }
    const rows = (yield* pooledOf(world)).toSorted((a, b) => a.arrival - b.arrival)
    if (rows.length === 0) return
    for (let times = 0; times < 4; times++) {
      const filters = filtersOf(world, rows)
      const query: PoolListQuery = {
        filters,
        order: random.of(["ASC", "DESC"]),
        limit: 1 + random.below(9),
        ...random.chance(0.5) ? {} : { fromItem: random.of(rows).arrival + 1 }
      }
      const page = yield* Effect.result(listPool(ports, query))
      if (Object.values(filters).includes(INTERNAL_ADDRESS)) {
        const tag = page._tag === "Failure" ? page.failure._tag : "an answer"
        yield* same(tag, "BadInput", () => "The list of the address of internal accounts")
        continue
      }
      const { counts, items } = yield* Effect.fromResult(page)
      const whole = rows.filter(matches(filters))
      const ordered = query.order === "ASC" ? whole : whole.toReversed()
      const rest = ordered.filter(({ arrival }) =>
        query.fromItem === undefined ||
        (query.order === "ASC" ? arrival + 1 >= query.fromItem : arrival < query.fromItem)
      )
      yield* same(
        {
          items: items.map(({ itemId, sender, token, transaction }) => ({
            itemId,
            id: transaction.id,
            sender,
            tokenId: token.id
          })),
          counts
        },
        {
          items: rest.slice(0, query.limit).map(({ arrival, sender, transaction }) => ({
            itemId: arrival + 1,
            id: transaction.id,
            sender,
            tokenId: transaction.tokenId
          })),
          counts: {
            pendingItems: Math.max(0, rest.length - query.limit!),
            totalItems: whole.length,
            firstItem: whole.length === 0 ? null : whole[0]!.arrival + 1,
            lastItem: whole.length === 0 ? null : whole.at(-1)!.arrival + 1
          }
        },
        () => `The page of the pool with ${show(query)}`
      )
    }
    for (const [id, ids] of world.groups) {
      const { items } = yield* findGroup(ports, id)
      const members = rows.filter(({ transaction }) => transaction.group?.id === id)
      yield* same(
        items.map(({ transaction }) => transaction.id),
        members.length === 0 ? [] : ids,
        () => `The transactions of group ${id}`
      )
    }
  }
)
