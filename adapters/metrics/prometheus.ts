import { Effect } from "effect"
import type { Distribution, Labels, Metric, Sample } from "../../core/ports/mod.ts"

/** The type of the text that `prometheusText` writes. */
export const prometheusContentType = "text/plain; version=0.0.4; charset=utf-8"

/** How long one metric may take to be read, as one that asks a store does. */
const readMaxMs = 2000

/** What was read of metrics: those of one name together, and how many could not be read. */
export interface Scrape {
  readonly families: ReadonlyArray<Family>
  readonly unread: number
}

/** All samples of one name. */
export interface Family {
  readonly metric: Metric
  readonly samples: ReadonlyArray<Sample | Distribution>
}

/** Reads metrics. One that fails, or takes too long, is left out, and counted. */
export const scrape = (metrics: ReadonlyArray<Metric>): Effect.Effect<Scrape> =>
  Effect.map(
    Effect.forEach(metrics, (metric) =>
      (metric.read as Effect.Effect<Iterable<Sample | Distribution>, unknown>).pipe(
        Effect.map((samples) => ({ metric, samples: [...samples] })),
        Effect.timeout(readMaxMs),
        Effect.catchCause((cause) => Effect.as(Effect.logDebug(`Metric ${metric.name} could not be read`, cause), null))
      ), { concurrency: "unbounded" }),
    (read) => {
      const byName = new Map<string, Family>()
      for (const family of read) {
        if (family === null) continue
        const known = byName.get(family.metric.name)
        byName.set(family.metric.name, known === undefined ? family : { metric: known.metric, samples: [...known.samples, ...family.samples] })
      }
      return { families: [...byName.values()], unread: read.filter((family) => family === null).length }
    }
  )

/** Metrics in the text format of Prometheus, as a scrape reads them. */
export const prometheusText = (metrics: ReadonlyArray<Metric>): Effect.Effect<string> =>
  Effect.map(scrape(metrics), ({ families, unread }) => {
    const lines: Array<string> = []
    for (const { metric, samples } of families) {
      const { help, kind, name } = metric
      lines.push(`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${kind}`)
      for (const sample of samples) {
        if (metric.kind === "histogram") lines.push(...distribution(name, metric.bounds, sample as Distribution))
        else lines.push(`${name}${labelled(sample.labels)} ${numeral((sample as Sample).value)}`)
      }
    }
    lines.push(
      "# HELP rollup_metrics_unread Metrics that could not be read for this scrape, since what they ask did not answer",
      "# TYPE rollup_metrics_unread gauge", `rollup_metrics_unread ${unread}`, ""
    )
    return lines.join("\n")
  })

const distribution = (name: string, bounds: ReadonlyArray<number>, { counts, labels, sum }: Distribution): ReadonlyArray<string> => {
  let total = 0
  const lines = [...bounds, Infinity].map((bound, i) => {
    total += counts[i]!
    return `${name}_bucket${labelled({ ...labels, le: numeral(bound) })} ${total}`
  })
  return [...lines, `${name}_sum${labelled(labels)} ${numeral(sum)}`, `${name}_count${labelled(labels)} ${total}`]
}

const labelled = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"").replaceAll("\n", "\\n")}"`)
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`
}

const numeral = (value: number): string => value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)
