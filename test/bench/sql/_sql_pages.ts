import { Effect } from "effect"
import { type ListName, listNames, type ListQuery } from "../../../core/contract/mod.ts"
import { everyChoice, type FilterValues } from "../../sql/_every_question.ts"
import { median } from "../_load.ts"
import { valuesOf } from "./_sql_filter_values.ts"
import type { SqlLedger } from "./_sql_ledger.ts"

const pageItems = 20

/** A page of a list under some filters, at a place of a ledger. */
interface PlacedPage {
  readonly ledger: SqlLedger
  /** How much it shows: the items, and for slots their bids. Only pages that show as much are compared. */
  readonly content: string
  readonly ask: () => Promise<unknown>
  readonly times: Array<number>
}

/** What is told of a list under some filters. */
interface Figure {
  readonly list: ListName
  readonly filters: string
  /** Slowest to fastest place within one size, the greatest over the sizes; null where there is nothing to compare. */
  readonly places: number | null
  /** Slowest to fastest of both sizes; null where nothing in one is like anything in the other. */
  readonly sizes: number | null
  readonly ms: number
  readonly spreadMs: number
}

/** Medians of the first, the middle and the last page of every list under every choice of filters, in ledgers of two sizes by turns. */
export const benchPages = async (
  ledgers: ReadonlyArray<SqlLedger>,
  samples: number
): Promise<void> => {
  const values = await Promise.all(ledgers.map(({ url }) => valuesOf(url)))
  const figures: Array<Figure> = []
  for (const list of listNames) {
    const choices = values.map((each) => everyChoice(list, each[list]))
    for (const [i, filters] of choices[0]!.entries()) {
      const totals = await Promise.all(
        ledgers.map(async ({ reader }, j) =>
          (await Effect.runPromise(
            reader.list(list, { filters: choices[j]![i]!, limit: 1 } as ListQuery<never>)
          )).counts.totalItems
        )
      )
      // pages that are full in each of them
      const limit = Math.max(1, Math.min(pageItems, ...totals))
      const pages: Array<PlacedPage> = []
      for (const [j, ledger] of ledgers.entries()) {
        pages.push(...await placedPages(ledger, list, choices[j]![i]!, limit))
      }
      await measure(pages, samples)
      const figure = () => figureOf(list, Object.keys(filters).join(" ") || "none", pages)
      // what differs by chance differs less the more often it is asked; nothing that was measured is dropped
      for (let again = 0; again < againMax && isDoubtful(figure()); again++) {
        await measure(pages, samples)
      }
      figures.push(figure())
    }
  }
  tell(figures)
}

/** A median of a hundred is off by up to a sixth here, and the worst of hundreds is told. */
const isDoubtful = ({ places, sizes }: Figure): boolean => Math.max(places ?? 0, sizes ?? 0) > 1.3
const againMax = 5

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
const placedPages = async (
  ledger: SqlLedger,
  list: ListName,
  filters: FilterValues,
  size: number
): Promise<ReadonlyArray<PlacedPage>> => {
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
  const places = totalItems <= size
    ? [firstItem ?? 0]
    : [
      firstItem!,
      await itemBefore(size + Math.floor((totalItems - size) / 2)),
      await itemBefore(size)
    ]
  return Promise.all(
    places.map(async (fromItem) => ({
      ledger,
      content: contentOf((await page(fromItem, size)).items),
      ask: () => page(fromItem, size),
      times: []
    }))
  )
}

const contentOf = (items: ReadonlyArray<object>): string =>
  `${items.length} ${items.filter((item) => "bestBid" in item && item.bestBid !== null).length}`

const figureOf = (list: ListName, filters: string, pages: ReadonlyArray<PlacedPage>): Figure => {
  const medians = pages.map(({ content, ledger, times }) => ({ content, ledger, ...median(times) }))
  // slowest to fastest among those that show as much, the greatest of these; null where each is alone
  const ratio = (some: typeof medians): number | null => {
    const ratios = [...Map.groupBy(some, ({ content }) => content).values()].filter(({ length }) =>
      length > 1
    )
      .map((alike) =>
        Math.max(...alike.map((each) => each.median)) /
        Math.min(...alike.map((each) => each.median))
      )
    return ratios.length === 0 ? null : Math.max(...ratios)
  }
  const perLedger = [...Map.groupBy(medians, ({ ledger }) => ledger).values()].flatMap((own) =>
    ratio(own) ?? []
  )
  const common = medians.filter(({ content, ledger }) =>
    medians.some((other) => other.ledger !== ledger && other.content === content)
  )
  const slowest = medians.reduce((a, b) => a.median > b.median ? a : b)
  return {
    list,
    filters,
    places: perLedger.length === 0 ? null : Math.max(...perLedger),
    sizes: ratio(common),
    ms: slowest.median,
    spreadMs: slowest.spread
  }
}

const worstShown = 6

const tell = (figures: ReadonlyArray<Figure>) => {
  const columns = (...[list, filters, places, sizes, ms]: ReadonlyArray<string>) =>
    console.log(
      `  ${list!.padEnd(13)} ${filters!.padEnd(56)} ${places!.padStart(6)} ${
        sizes!.padStart(6)
      }   ${ms!}`
    )
  const told = (ratio: number | null) => ratio?.toFixed(2) ?? "-"
  const worst = (ratios: ReadonlyArray<number | null>) =>
    told(ratios.reduce((a, b) => a === null ? b : b === null ? a : Math.max(a, b), null))
  const row = ({ filters, list, ms, places, sizes, spreadMs }: Figure) =>
    columns(
      list,
      filters,
      told(places),
      told(sizes),
      `${ms.toFixed(2)} ± ${spreadMs.toFixed(2)} ms`
    )
  columns("list", "filters", "places", "sizes", "slowest page")
  for (const list of listNames) {
    const own = figures.filter((figure) => figure.list === list)
    columns(
      list,
      `all ${own.length} choices, the worst of each`,
      worst(own.map(({ places }) => places)),
      worst(own.map(({ sizes }) => sizes)),
      `${Math.max(...own.map(({ ms }) => ms)).toFixed(2)} ms`
    )
  }
  console.log("  the worst by places, then by sizes:")
  for (const by of ["places", "sizes"] as const) {
    figures.toSorted((a, b) => (b[by] ?? 0) - (a[by] ?? 0)).slice(0, worstShown).forEach(row)
  }
}
