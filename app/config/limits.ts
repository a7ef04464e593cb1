import type { Setting } from "./setting.ts"
import { serverSettings } from "./settings.ts"

/** What happens at a limit, and where that is counted. */
interface Limit {
  /** What is done with what is beyond. */
  readonly beyond: string
  /** A metric that tells of it other than `rollup_limit_hits_total` with the name of the setting in its label `limit`. */
  readonly metric?: string
}

/** Every setting that is a limit, by its name. */
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
    metric: "none: nobody is refused"
  },
  sendTimeoutMs: { beyond: "the connection is cut" },
  unreadBytesMax: {
    beyond: "the connections that read least are cut; answers above 16 KiB get 503 with Retry-After"
  },
  httpConnectionsMax: { beyond: "the connection is closed at once" },
  requestsMax: { beyond: "503 with Retry-After" },
  queueDelayTargetMs: { beyond: "503 with Retry-After, except for cached answers" },
  ratePerSecondMax: { beyond: "429 with Retry-After, once the burst is used up" },
  rateBurstMax: {
    beyond: "429 with Retry-After",
    metric: 'rollup_limit_hits_total{limit="ratePerSecondMax"}'
  },
  rateAddressesMax: {
    beyond: "who asked longest ago is forgotten, and may send a burst again",
    metric: "none: nobody is refused"
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
  feedLineBytesMax: { beyond: "413; what came before is applied" },
  feedRecordTimeoutMs: { beyond: "503 with Retry-After; the record may have been applied" },
  poolBodyBytesMax: { beyond: "413, and nothing is done" },
  answersBytesMax: {
    beyond: "the oldest answers are computed anew",
    metric: "rollup_answers_evicted_total"
  },
  shutdownTimeoutMs: { beyond: "connections are cut", metric: "none: the process ends" }
}

/** The limits as a table in Markdown. */
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
  return [["limit", "default", "setting", "beyond it", "counted by"], [
    "---",
    "---",
    "---",
    "---",
    "---"
  ], ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")
}
