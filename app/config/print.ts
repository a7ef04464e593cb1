import type { Origins } from "./read.ts"
import { isSetting, type Options, type ResolvedOptions, type Setting } from "./setting.ts"
import { serverSettings } from "./settings/mod.ts"

/**
 * Returns all settings as a TOML configuration file, with the origin of each value. Omits secrets.
 * Settings at their default are comments.
 */
export const formatConfigFile = <O extends Options>(
  options: O,
  resolved: ResolvedOptions<O>,
  origins: Origins<O>
): string => {
  const tables = Map.groupBy(
    Object.entries(options).flatMap(([name, option]) =>
      isSetting(option) ? [[name, option] as const] : []
    ),
    ([, { key }]) => key.slice(0, key.indexOf("."))
  )
  return [...tables].map(([table, settings]) =>
    [
      `[${table}]`,
      ...settings.map(([name, option]) =>
        `${origins[name]!.kind === "default" ? "# " : ""}${line(option, resolved[name])}  # ${
          origins[name]!.source
        }`
      )
    ].join("\n")
  ).join("\n\n")
}

const line = (
  { default: defaultValue, isSecret, key }: Setting<unknown>,
  value: unknown
): string => {
  const name = key.slice(key.indexOf(".") + 1)
  if (value === undefined) return `${name} is not set`
  return isSecret && value !== defaultValue
    ? `# ${name} is set, and secret`
    : `${name} = ${JSON.stringify(value)}`
}

/** Returns the settings as a Markdown table. */
export const settingsTable = (options: Options): string => {
  const rows = Object.values(options).filter(isSetting).map((
    { default: defaultValue, doc, flag, key, value: { rule }, variable }
  ) => [
    `\`--${flag}\``,
    `\`${variable}\``,
    `\`${key}\``,
    doc,
    rule,
    defaultValue === undefined ? "" : `\`${String(defaultValue)}\``
  ])
  return markdownTable(["flag", "environment", "file", "meaning", "expected", "default"], rows)
}

/** Returns a Markdown table. */
const markdownTable = (
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string =>
  [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

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
  refusalDelayMaxMs: {
    beyond: "the response is sent",
    metric: "none: no request is refused"
  },
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
  heapBytesMax: {
    beyond:
      "503 with Retry-After for writes, from 92 % on; the process exits with code 7 if more than half of the rest is used"
  },
  answersBytesMax: {
    beyond: "the least recently used responses are evicted",
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
