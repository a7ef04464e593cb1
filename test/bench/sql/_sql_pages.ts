import { Effect } from "effect"
import { type ListName, listNames, type ListQuery } from "../../../core/contract/mod.ts"
import { filterCombinations, type FilterValues } from "../../sql/_filter_combinations.ts"
import { showFigure } from "../_figures.ts"
import { median } from "../_load.ts"
import { statementsOf } from "./_database.ts"
import { valuesOf } from "./_sql_filter_values.ts"
import type { SqlLedger } from "./_sql_ledger.ts"

const pageItems = 20

/** A page of a list with some filters, at a position of a ledger. */
interface PositionedPage {
  readonly ledger: SqlLedger
  /**
   * The size of its content: the items, and for slots their bids. Only pages of equal size are
   * compared.
   */
  readonly content: string
  readonly ask: () => Promise<unknown>
  readonly times: Array<number>
}

/** The result for a list with some filters. Ratios are 0 if nothing is comparable. */
interface Figure {
  readonly list: ListName
  readonly filters: string
  /** Slowest ÷ fastest position within one ledger, the maximum over the ledgers. */
  readonly places: number
  /** Slowest ÷ fastest of both ledgers. */
  readonly sizes: number
  /** The median of the slowest page. */
  readonly ms: number
  /** The fewest statements of a page: at times the process also reads the state of the ledger. */
  readonly statements: number
  /** The most buffers of a page with so many statements. */
  readonly buffers: number
}

/**
 * Measures medians of the first, the middle and the last page of every list with every combination
 * of filters, in two ledgers of different size, in turn.
 */
export const benchPages = async (
  ledgers: ReadonlyArray<SqlLedger>,
  samples: number
): Promise<void> => {
  const values = await Promise.all(ledgers.map(({ url }) => valuesOf(url)))
  const figures: Array<Figure> = []
  for (const list of listNames) {
    const choices = values.map((each) => filterCombinations(list, each[list]))
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
      const pages: Array<PositionedPage> = []
      for (const [j, ledger] of ledgers.entries()) {
        pages.push(...await positionedPages(ledger, list, choices[j]![i]!, limit))
      }
      await measure(pages, samples)
      const figure = () => figureOf(list, Object.keys(filters).join(" ") || "none", pages)
      // more measurements reduce random differences; no measurement is dropped
      for (let again = 0; again < againMax && isDoubtful(figure()); again++) {
        await measure(pages, samples)
      }
      const runs = []
      for (const { ask, ledger } of pages) runs.push(await statementsOf(ledger.url, ask))
      const statements = Math.min(...runs.map(({ count }) => count))
      const alone = runs.filter(({ count }) => count === statements)
      const buffers = Math.max(...alone.map(({ buffers }) => buffers))
      figures.push({ ...figure(), statements, buffers })
    }
  }
  tell(figures)
}

/** A median of a hundred is off by up to a sixth, and the worst of hundreds is reported. */
const isDoubtful = ({ places, sizes }: ReturnType<typeof figureOf>): boolean =>
  Math.max(places, sizes) > 1.3
const againMax = 5

const measure = async (pages: ReadonlyArray<PositionedPage>, samples: number) => {
  const warmUps = Math.ceil(samples / 5)
  for (let sample = -warmUps; sample < samples; sample++) {
    for (const { ask, times } of pages) {
      const started = performance.now()
      await ask()
      if (sample >= 0) times.push(performance.now() - started)
    }
  }
}

/** Returns the first, the middle and the last full page; one if there are no more. */
const positionedPages = async (
  ledger: SqlLedger,
  list: ListName,
  filters: FilterValues,
  size: number
): Promise<ReadonlyArray<PositionedPage>> => {
  const page = (fromItem: number, limit: number) =>
    Effect.runPromise(ledger.reader.list(list, { filters, fromItem, limit } as ListQuery<never>))
  const { counts: { firstItem, lastItem, totalItems } } = await page(0, 1)
  // the greatest item id that leaves this many items
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

const figureOf = (
  list: ListName,
  filters: string,
  pages: ReadonlyArray<PositionedPage>
): Omit<Figure, "statements" | "buffers"> => {
  const medians = pages.map(({ content, ledger, times }) => ({
    content,
    ledger,
    ms: median(times).median
  }))
  // slowest ÷ fastest among pages of equal size, the maximum of these
  const ratio = (some: typeof medians): number =>
    Math.max(
      0,
      ...[...Map.groupBy(some, ({ content }) => content).values()]
        .filter(({ length }) => length > 1)
        .map((alike) => alike.map(({ ms }) => ms))
        .map((alike) => Math.max(...alike) / Math.min(...alike))
    )
  const common = medians.filter(({ content, ledger }) =>
    medians.some((other) => other.ledger !== ledger && other.content === content)
  )
  return {
    list,
    filters,
    places: Math.max(...[...Map.groupBy(medians, ({ ledger }) => ledger).values()].map(ratio)),
    sizes: ratio(common),
    ms: Math.max(...medians.map((each) => each.ms))
  }
}

const tell = (figures: ReadonlyArray<Figure>): void => {
  for (const [list, own] of Map.groupBy(figures, (figure) => figure.list)) {
    const most = (member: "places" | "sizes" | "ms" | "statements") =>
      own.reduce((most, figure) => figure[member] > most[member] ? figure : most)
    const worst = (by: "places" | "sizes") => {
      const { filters, [by]: ratio } = most(by)
      return ratio === 0 ? "-" : `${ratio.toFixed(2)} (${filters})`
    }
    showFigure({
      name: `pages of ${list}, ${own.length} choices of filters: slowest ÷ fastest`,
      bound: "≤ 1.5",
      measured: `${worst("places")} within a size, ${worst("sizes")} in both sizes`,
      conditions: `the worst of each; in process, statements a request: ${
        most("statements").statements
      }; slowest page ${most("ms").ms.toFixed(2)} ms`
    })
    const pairs = own.flatMap(({ buffers, filters }) => {
      const alone = own.filter((one) => filters.split(" ").includes(one.filters))
      const one = Math.max(...alone.map((each) => each.buffers))
      return alone.length === 2 ? [{ filters, one, buffers, ratio: buffers / one }] : []
    })
    if (pairs.length === 0) continue
    const { buffers, filters, one, ratio } = pairs.reduce((a, b) => a.ratio > b.ratio ? a : b)
    showFigure({
      name: `pages of ${list}, ${pairs.length} pairs of filters ÷ the dearer one alone`,
      bound: "≤ 2",
      measured: `${ratio.toFixed(2)} (${filters})`,
      conditions: `the worst; buffers of the page that reads the most, ${buffers} ÷ ${one}`
    })
  }
}
