import { Arbitrary, Effect } from "effect"
import {
  fromItemMax,
  limitMax,
  type ListItems,
  revisionList,
  type ListName,
  listNames,
  type ListQuery
} from "../../../core/contract/mod.ts"
import { forAll } from "../_check.ts"
import { itemIdOf, page } from "../_reading.ts"
import type { ReadSubject } from "./answer_laws.ts"
import { filters, integer, oneOf } from "../generators.ts"
import { holds, type Law, type LawViolation, same, show } from "../law.ts"
import { unknownReferences } from "../naive/mod.ts"

/*
 * The laws of pages, which hold for any content. They need no model: one walk through all pages
 * gives the whole list, and every other walk and every single page must agree with it.
 */

type Order = "ASC" | "DESC"

/**
 * Reads page after page, each from after the last item. Stops after `pagesMax` pages, so that a
 * faulty store cannot cause an endless loop.
 */
const walk = Effect.fnUntraced(function*<N extends ListName>(
  { reader }: Pick<ReadSubject, "reader">,
  list: N,
  query: {
    readonly filters: ListQuery<N>["filters"]
    readonly order: Order
    readonly limit: number
  }
): Effect.fn.Return<ReadonlyArray<ListItems[N]>, LawViolation> {
  const seen: Array<ListItems[N]> = []
  let fromItem: number | undefined
  for (let pages = 0; pages <= pagesMax; pages++) {
    const description = () => `${list} with ${show({ ...query, fromItem })}`
    const { counts, items } = yield* page(reader, list, {
      ...query,
      ...(fromItem === undefined ? {} : { fromItem })
    })
    seen.push(...items)
    yield* holds(items.length <= query.limit, () => `${description()} has ${items.length} items`)
    yield* holds(
      seen.length + counts.pendingItems === counts.totalItems,
      () =>
        `${description()}: ${seen.length} seen and ${counts.pendingItems} pending are not ${counts.totalItems} in all`
    )
    yield* holds(
      items.length === query.limit || counts.pendingItems === 0,
      () => `${description()} has ${items.length} items though ${counts.pendingItems} are pending`
    )
    if (counts.pendingItems === 0) {
      const ids = seen.map((item) => itemIdOf(list, item)).sort((a, b) => a - b)
      yield* same(
        [counts.firstItem, counts.lastItem],
        [ids[0] ?? null, ids.at(-1) ?? null],
        () => `firstItem and lastItem of ${description()}`
      )
      return seen
    }
    const last = itemIdOf(list, items.at(-1)!)
    if (query.order === "DESC" && last === 0) {
      return yield* holds(
        false,
        () => `${description()} ends at 0 though ${counts.pendingItems} are pending`
      ).pipe(Effect.as(seen))
    }
    fromItem = query.order === "ASC" ? last + 1 : last - 1
  }
  return seen
})

const pagesMax = 200

/** Adds bounds to filters of slots, because that list has no end. */
const boundedFilters = <N extends ListName>(
  subject: ReadSubject,
  list: N
): Arbitrary.Arbitrary<ListQuery<N>["filters"]> =>
  Arbitrary.map(
    Arbitrary.flatMap(oneOf(revisionList), (revision) => filters(subject.facts, list, revision)),
    (drawn) => {
      if (list !== "slots") return drawn
      const { maxSlotNum, minSlotNum = 0, ...rest } = drawn as ListQuery<"slots">["filters"]
      return {
        ...rest,
        minSlotNum,
        maxSlotNum: Math.min(maxSlotNum ?? Infinity, minSlotNum + 300, fromItemMax)
      } as ListQuery<N>["filters"]
    }
  )

const walkLaw = (list: ListName): Law<ReadSubject> => ({
  name:
    `the pages of ${list} contain the whole list in order and nothing twice, ascending and descending, for all filters and limits`,
  run: (subject) =>
    forAll(
      Arbitrary.all({ filters: boundedFilters(subject, list), limitWanted: integer(1, 40) }),
      subject,
      ({ filters, limitWanted }) =>
        Effect.gen(function*() {
          if (unknownReferences(subject.facts, list, filters).length > 0) return
          const ascending = yield* walk(subject, list, { filters, order: "ASC", limit: limitMax })
          const limit = Math.max(limitWanted, Math.ceil(ascending.length / pagesMax))
          const ids = ascending.map((item) => itemIdOf(list, item))
          yield* holds(
            ids.every((id, i) => i === 0 || id > ids[i - 1]!),
            () => `The itemIds of ${list} with ${show(filters)} do not ascend: ${show(ids)}`
          )
          yield* same(
            yield* walk(subject, list, { filters, order: "ASC", limit }),
            ascending,
            () => `${list} with ${show(filters)} by ${limit}`
          )
          yield* same(
            yield* walk(subject, list, { filters, order: "DESC", limit }),
            ascending.toReversed(),
            () => `${list} with ${show(filters)} by ${limit}, descending`
          )
        })
    )
})

const positionLaw = (list: ListName): Law<ReadSubject> => ({
  name:
    `fromItem of ${list} is inclusive, and need not exist; the counts but pendingItems do not depend on it`,
  run: (subject) =>
    Effect.gen(function*() {
      const bounds: object = list === "slots" ? { minSlotNum: 2, maxSlotNum: 40 } : {}
      const all = yield* walk(subject, list, { filters: bounds, order: "ASC", limit: limitMax })
      const ids = all.map((item) => itemIdOf(list, item))
      const position = integer(0, Math.min(fromItemMax, (ids.at(-1) ?? 0) + 3))
      yield* forAll(
        Arbitrary.all({ position, order: oneOf(["ASC", "DESC"] as const), limit: integer(1, 30) }),
        subject,
        ({ limit, order, position }) =>
          Effect.gen(function*() {
            const rest = order === "ASC"
              ? all.filter((_, i) => ids[i]! >= position)
              : all.filter((_, i) => ids[i]! <= position).reverse()
            const { counts, items } = yield* page(subject.reader, list, {
              filters: bounds,
              fromItem: position,
              order,
              limit
            })
            yield* same(
              { items, ...counts },
              {
                items: rest.slice(0, limit),
                pendingItems: rest.length - Math.min(limit, rest.length),
                totalItems: all.length,
                firstItem: ids[0] ?? null,
                lastItem: ids.at(-1) ?? null
              },
              () => `${list} ${order} from ${position}, ${limit} of them`
            )
          })
      )
    })
})

const defaultsLaw = (list: ListName): Law<ReadSubject> => ({
  name: `${list} without page parameters returns the first twenty items, ascending`,
  run: ({ reader }) =>
    Effect.gen(function*() {
      const [short, long] = [
        yield* page(reader, list, { filters: {} }),
        yield* page(reader, list, { filters: {}, order: "ASC", limit: 20 })
      ]
      yield* same({ items: short.items, counts: short.counts }, {
        items: long.items,
        counts: long.counts
      }, () => list)
    })
})

/**
 * The paging laws of every list. Run them on the result of `readSubject`.
 *
 * @example
 * ```ts
 * import { pagingLaws } from "rollup-node-api/testing"
 *
 * console.log(pagingLaws[0]?.name.startsWith("the pages of accounts contain the whole list"))
 * // => true
 * ```
 */
export const pagingLaws: ReadonlyArray<Law<ReadSubject>> = listNames.flatMap((list) => [
  walkLaw(list),
  positionLaw(list),
  defaultsLaw(list)
])
