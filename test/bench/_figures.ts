import { median } from "./_load.ts"

/*
 * The figures of a run. Each part shows its figures as it measures them; `main.ts` then writes them
 * into RESULTS.md, which has one table for each part.
 */

export interface Figure {
  readonly name: string
  readonly bound?: string | undefined
  readonly measured: string
  /** What the figure depends on: connections, URLs, absolute values. */
  readonly conditions?: string | undefined
}

/** The greatest scatter of the rounds of a ratio: half of their interquartile range ÷ their median. */
export const scatterMax = 0.15

const shown: Array<Figure> = []

/** Prints a figure, and records it for RESULTS.md. */
export const showFigure = (figure: Figure): void => {
  const { bound, conditions, measured, name } = figure
  const details = [bound === undefined ? [] : `bound ${bound}`, conditions ?? []].flat().join("; ")
  console.log(`  ${name.padEnd(56)} ${measured}${details === "" ? "" : `   (${details})`}`)
  shown.push(figure)
}

/** Shows a ratio, given that of each round; if they scatter too much, it has no value. */
export const showRatio = (
  { values, ...figure }: Omit<Figure, "measured"> & { readonly values: ReadonlyArray<number> }
): void => showFigure({ ...figure, measured: ratioText(values) })

/** Returns the median ± half of the interquartile range, or why there is no ratio. */
export const ratioText = (values: ReadonlyArray<number>): string => {
  const { median: middle, spread } = median(values)
  const scatter = spread / middle
  const digits = middle < 0.1 ? 3 : middle < 10 ? 2 : 0
  return scatter <= scatterMax
    ? `${middle.toFixed(digits)} ± ${spread.toFixed(digits)}`
    : `no ratio: the rounds scatter by ${Math.round(scatter * 100)} %, above ${scatterMax * 100} %`
}

/** Returns the figures that were shown since the last call. */
export const takeFigures = (): ReadonlyArray<Figure> => shown.splice(0)

/** Where and with which server the figures of a part were measured. */
export interface Run {
  readonly part: string
  readonly title: string
  /** Date, commit, command and machine. */
  readonly where: string
  /** A digest of the sources of the server. */
  readonly sources: string
}

/**
 * Returns RESULTS.md with the table of one part replaced, or added after the other parts. The other
 * parts keep their tables; those of other sources say so.
 */
export const withFigures = (
  results: string,
  run: Run,
  figures: ReadonlyArray<Figure>
): string => {
  const added = partText(run, figures)
  const own = partPattern(run.part)
  const lastPart = results.lastIndexOf(endOfPart)
  const at = lastPart < 0 ? results.search(/^## |$(?![^])/mu) : lastPart + endOfPart.length
  const updated = own.test(results)
    ? results.replace(own, () => added)
    : `${results.slice(0, at)}${lastPart < 0 ? "" : "\n"}${added}${lastPart < 0 ? "\n" : ""}${
      results.slice(at)
    }`
  return withMarks(updated, run.sources).text
}

/** Returns RESULTS.md with a mark at each part that was measured with other sources, and these parts. */
export const withMarks = (
  results: string,
  present: string
): { readonly text: string; readonly earlier: ReadonlyArray<string> } => {
  const earlier: Array<string> = []
  const text = results.replace(
    /<!-- part (\S+) sources (\S+) -->\n(## .*\n\n)(?:\*\*Measured with an earlier server\.\*\* )?/gu,
    (_, part: string, sources: string, heading: string) => {
      if (sources !== present) earlier.push(part)
      const mark = sources === present ? "" : "**Measured with an earlier server.** "
      return `<!-- part ${part} sources ${sources} -->\n${heading}${mark}`
    }
  )
  return { text, earlier }
}

const endOfPart = "<!-- end of part -->\n"
const partPattern = (part: string): RegExp =>
  new RegExp(`<!-- part ${part} sources .*?${endOfPart}`, "su")

const partText = ({ part, sources, title, where }: Run, figures: ReadonlyArray<Figure>): string =>
  [
    `<!-- part ${part} sources ${sources} -->`,
    `## ${title}`,
    "",
    where,
    "",
    "| figure | bound | measured | conditions |",
    "|---|---|---|---|",
    ...figures.map(({ bound = "", conditions = "", measured, name }) =>
      `| ${[name, bound, measured, conditions].map(cell).join(" | ")} |`
    ),
    endOfPart
  ].join("\n")

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
