/** Metrics and health of a node, on Effect's metric registry. Nothing here needs Node. */
export {
  type MonitorOptions,
  openMonitor,
  type OpenMonitor,
  prometheusContentType,
  prometheusText
} from "./monitor.ts"
export { type MetricSnapshot, metricSnapshot, snapshotSeries } from "./snapshot.ts"
