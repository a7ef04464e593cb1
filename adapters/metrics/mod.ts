/** Metrics and health of a node, on Effect's metric registry. Nothing here needs Node. */
export { openMonitor, type OpenMonitor, prometheusContentType, prometheusText } from "./monitor.ts"
