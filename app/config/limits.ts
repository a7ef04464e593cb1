import { markdownTable } from "./print.ts"
import type { Setting } from "./setting.ts"
import { serverSettings } from "./settings/mod.ts"

/** The effect of exceeding a limit, and the metric that counts it. */
interface Limit {
  /** The effect on the excess, such as the status of the response. */
  readonly beyond: string
  /** Metric; `rollup_limit_hits_total` with the setting's name as the label `limit` by default. */
  readonly metric?: string
}

/** The settings that are limits, by name. */
const limits: { readonly [Name in keyof typeof serverSettings]?: Limit } = {
  urlBytesMax: { beyond: "414" },
  headerBytesMax: { beyond: "431" },
  bodyBytesMax: { beyond: "413" },
  jsonDepthMax: { beyond: "400" },
  listItemsMax: { beyond: "400" },
  headersTimeoutMs: { beyond: "408, and the connection is closed" },
  requestTimeoutMs: { beyond: "408, and the connection is closed" },
  idleTimeoutMs: {
    beyond: "the connection is closed a second later",
    metric: "none: no request is refused"
  },
  sendTimeoutMs: { beyond: "the connection is destroyed" },
  unreadBytesMax: {
    beyond:
      "the connections that read least are destroyed; responses above 16 KiB get 503 with Retry-After"
  },
  httpConnectionsMax: { beyond: "the connection is closed at once" },
  requestsMax: { beyond: "503 with Retry-After" },
  queueDelayTargetMs: { beyond: "503 with Retry-After, except for cached responses" },
  ratePerSecondMax: { beyond: "429 with Retry-After, once the burst is used up" },
  rateBurstMax: {
    beyond: "429 with Retry-After",
    metric: 'rollup_limit_hits_total{limit="ratePerSecondMax"}'
  },
  rateAddressesMax: {
    beyond: "the least recently seen address is evicted, and may send a burst again",
    metric: "none: no request is refused"
  },
  pendingMax: { beyond: "503 with Retry-After" },
  pendingPerAccountMax: { beyond: "503 with Retry-After" },
  verifierThreadsMax: { beyond: "signatures wait", metric: "rollup_verifier_waiting" },
  verifierQueueMax: { beyond: "503 with Retry-After" },
  connectionsMax: { beyond: "statements wait", metric: "rollup_database_waits_total" },
  queueWaitMs: { beyond: "503 with Retry-After" },
  statementTimeoutMs: { beyond: "the statement is cancelled; 503 with Retry-After" },
  adminConnectionsMax: { beyond: "the connection is closed at once" },
  adminHeadersTimeoutMs: { beyond: "408, and the connection is closed" },
  adminHeaderBytesMax: { beyond: "431, and the connection is closed" },
  adminBodyIdleMs: { beyond: "408, and the connection is closed" },
  feedLineBytesMax: { beyond: "413; the records before it are applied" },
  feedRecordTimeoutMs: { beyond: "503 with Retry-After; the record may have been applied" },
  poolBodyBytesMax: { beyond: "413; no command is executed" },
  answersBytesMax: {
    beyond: "the oldest responses are evicted",
    metric: "rollup_answers_evicted_total"
  },
  shutdownTimeoutMs: { beyond: "connections are destroyed", metric: "none: the process ends" }
}

/** Returns the limits as a Markdown table. */
export const limitsTable = (): string => {
  const rows = Object.entries(limits).map(
    ([name, { beyond, metric = `rollup_limit_hits_total{limit="${name}"}` }]) => {
      const { default: defaultValue, doc, key } =
        serverSettings[name as keyof typeof serverSettings] as Setting<unknown>
      return [
        doc,
        defaultValue === undefined ? "" : `\`${String(defaultValue)}\``,
        `\`${key}\``,
        beyond,
        metric.startsWith("none") ? metric : `\`${metric}\``
      ]
    }
  )
  return markdownTable(["limit", "default", "setting", "beyond it", "counted by"], rows)
}
