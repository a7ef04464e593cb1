import type { Distribution, Labels, Sample } from "../../core/ports/mod.ts"
import type { Family } from "./prometheus.ts"

/** What an OTLP exporter sends: `ExportMetricsServiceRequest` of opentelemetry-proto, in its JSON form. */
export interface OtlpMetricsOptions {
  readonly families: ReadonlyArray<Family>
  readonly serviceName: string
  readonly serviceVersion: string
  /** When counting began, and when it was read: milliseconds since 1970. */
  readonly startMs: number
  readonly nowMs: number
}

/** Metrics as OTLP states them: sums that are cumulative, gauges, and histograms with explicit bounds. */
export const otlpMetrics = ({ families, nowMs, serviceName, serviceVersion, startMs }: OtlpMetricsOptions) => {
  const times = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) }
  const numbers = (samples: Family["samples"]) =>
    (samples as ReadonlyArray<Sample>).filter(({ value }) => Number.isFinite(value)).map(({ labels, value }) => ({ ...times, attributes: attributes(labels), asDouble: value }))
  return {
    resourceMetrics: [{
      resource: { attributes: attributes({ "service.name": serviceName, "service.version": serviceVersion }), droppedAttributesCount: 0 },
      scopeMetrics: [{
        scope: { name: serviceName, version: serviceVersion },
        metrics: families.filter(({ samples }) => samples.length > 0).map(({ metric, samples }) => {
          const described = { name: metric.name, description: metric.help }
          switch (metric.kind) {
            case "gauge":
              return { ...described, gauge: { dataPoints: numbers(samples) } }
            case "counter":
              return { ...described, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints: numbers(samples) } }
            case "histogram":
              return {
                ...described,
                histogram: {
                  aggregationTemporality: cumulative,
                  dataPoints: (samples as ReadonlyArray<Distribution>).map(({ counts, labels, sum }) => ({
                    ...times, attributes: attributes(labels), bucketCounts: Array.from(counts), explicitBounds: [...metric.bounds], sum,
                    count: Array.from(counts).reduce((total, count) => total + count, 0)
                  }))
                }
              }
          }
        })
      }]
    }]
  }
}

const cumulative = 2

const attributes = (labels: Labels) => Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: value } }))

const nanoseconds = (ms: number): string => `${BigInt(Math.round(ms)) * 1_000_000n}`
