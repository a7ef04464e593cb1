/** What a node measures of itself. Nothing here needs Node. */
export { openMonitor, type OpenMonitor } from "./monitor.ts"
export { otlpMetrics, type OtlpMetricsOptions } from "./otlp_metrics.ts"
export { type Family, prometheusContentType, prometheusText, scrape, type Scrape } from "./prometheus.ts"
