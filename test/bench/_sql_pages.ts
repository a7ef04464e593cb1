import { Effect } from "effect"
import { type ListName, listNames, type ListQuery } from "../../core/contract/mod.ts"
import { everyChoice, type FilterValues } from "../sql/_every_question.ts"
import { median } from "./_load.ts"
import { valuesOf } from "./_sql_filter_values.ts"
import type { SqlLedger } from "./_sql_ledger.ts"

const pageItems = 20

/** A page of a list under some filters, at a place of a ledger. */
interface PlacedPage {
  readonly ledger: SqlLedger
  readonly items: number
  readonly ask: () => Promise<unknown>
  readonly times: Array<number>
}

/** What is told of a list under some filters. */
interface Figure {
  readonly list: ListName
  readonly filters: string
  /** Slowest to fastest place within one size, the greatest over the sizes; 1 where everything fits on one page. */
  readonly places: number
  /** Slowest to fastest of both sizes; null where their pages hold different numbers of items. */
  readonly sizes: number | null
  readonly ms: number
  readonly spreadMs: number
}

/** Medians of the first, the middle and the last page of every list under every choice of filters, in ledgers of two sizes by turns. */
export const benchPages = async (ledgers: ReadonlyArray<SqlLedger>, samples: number): Promise<void> => {
  const values = await Promise.all(ledgers.map(({ url }) => valuesOf(url)))
  const figures: Array<Figure> = []
  for (const list of listNames) {
    const choices = values.map((each) => everyChoice(list, each[list]))
    for (const [i, filters] of choices[0]!.entries()) {
      const pages: Array<PlacedPage> = []
      for (const [j, ledger] of ledgers.entries()) pages.push(...await placedPages(ledger, list, choices[j]![i]!))
      await measure(pages, samples)
      figures.push(figureOf(list, Object.keys(filters).join(" ") || "none", pages))
    }
  }
  tell(figures)
}

const measure = async (pages: ReadonlyArray<PlacedPage>, samples: number) => {
  const warmUps = Math.ceil(samples / 5)
  for (let sample = -warmUps; sample < samples; sample++) {
    for (const { ask, times } of pages) {
      const started = performance.now()
      await ask()
      if (sample >= 0) times.push(performance.now() - started)
    }
  }
}

/** The first, the middle and the last page that is full; one where there is no more than that. */
const placedPages = async (ledger: SqlLedger, list: ListName, filters: FilterValues): Promise<ReadonlyArray<PlacedPage>> => {
  const page = (fromItem: number, limit: number) =>
    Effect.runPromise(ledger.reader.list(list, { filters, fromItem, limit } as ListQuery<never>))
  const { counts: { firstItem, lastItem, totalItems } } = await page(0, 1)
  // the greatest item id from which on so many items are left
  const itemBefore = async (left: number) => {
    let [low, high] = [firstItem!, lastItem!]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const { counts: { pendingItems }, items } = await page(middle, 1)
      if (pendingItems + items.length >= left) low = middle
      else high = middle - 1
    }
    return low
  }
  const places = totalItems <= pageItems
    ? [firstItem ?? 0]
    : [firstItem!, await itemBefore(pageItems + Math.floor((totalItems - pageItems) / 2)), await itemBefore(pageItems)]
  return Promise.all(places.map(async (fromItem) =>
    ({ ledger, items: (await page(fromItem, pageItems)).items.length, ask: () => page(fromItem, pageItems), times: [] })))
}

const figureOf = (list: ListName, filters: string, pages: ReadonlyArray<PlacedPage>): Figure => {
  const medians = pages.map(({ items, ledger, times }) => ({ items, ledger, ...median(times) }))
  const ratio = (some: typeof medians) => Math.max(...some.map((each) => each.median)) / Math.min(...some.map((each) => each.median))
  const ledgers = [...new Set(medians.map(({ ledger }) => ledger))]
  const slowest = medians.reduce((a, b) => a.median > b.median ? a : b)
  return {
    list, filters,
    places: Math.max(...ledgers.map((one) => ratio(medians.filter(({ ledger }) => ledger === one)))),
    sizes: new Set(medians.map(({ items }) => items)).size === 1 ? ratio(medians) : null,
    ms: slowest.median,
    spreadMs: slowest.spread
  }
}

const worstShown = 6

const tell = (figures: ReadonlyArray<Figure>) => {
  const columns = (...[list, filters, places, sizes, ms]: ReadonlyArray<string>) =>
    console.log(`  ${list!.padEnd(13)} ${filters!.padEnd(56)} ${places!.padStart(6)} ${sizes!.padStart(6)}   ${ms!}`)
  const row = ({ filters, list, ms, places, sizes, spreadMs }: Figure) =>
    columns(list, filters, places.toFixed(2), sizes?.toFixed(2) ?? "-", `${ms.toFixed(2)} ± ${spreadMs.toFixed(2)} ms`)
  columns("list", "filters", "places", "sizes", "slowest page")
  for (const list of listNames) {
    const own = figures.filter((figure) => figure.list === list)
    const compared = own.flatMap(({ sizes }) => sizes === null ? [] : [sizes])
    columns(
      list, `all ${own.length} choices, the worst of each`, Math.max(...own.map(({ places }) => places)).toFixed(2),
      compared.length === 0 ? "-" : Math.max(...compared).toFixed(2), `${Math.max(...own.map(({ ms }) => ms)).toFixed(2)} ms`
    )
  }
  console.log("  the worst by places, then by sizes:")
  for (const figure of figures.toSorted((a, b) => b.places - a.places).slice(0, worstShown)) row(figure)
  for (const figure of figures.toSorted((a, b) => (b.sizes ?? 0) - (a.sizes ?? 0)).slice(0, worstShown)) row(figure)
  console.log(`  - : pages of different lengths in the two ledgers (${figures.filter(({ sizes }) => sizes === null).length} of ${figures.length} choices)`)
}
