import { group, setting } from "../setting.ts"
import { choice, hostAddress, webUrl, integer, number, portOrOff, secret, yesNo } from "../value.ts"

export const log = group("Logging", {
  logLevel: setting({
    key: "log.level",
    flag: "log-level",
    value: choice(["debug", "info", "warn", "error"]),
    default: "info",
    doc: "Minimum level of log entries"
  }),
  logFormat: setting({
    key: "log.format",
    flag: "log-format",
    value: choice(["auto", "text", "json"]),
    default: "auto",
    doc:
      "Format of log entries: lines of text, or one JSON object per line; auto is text, except JSON for a server whose output is not a terminal"
  })
})

export const monitoring = group("Monitoring", {
  adminPort: setting({
    key: "admin.port",
    flag: "admin-port",
    value: portOrOff,
    doc:
      "Port of the admin listener (health and metrics); off disables it. If not set: 9464, or a free port if --port is 0. With workers, the supervisor listens on it for the whole group, and worker n on the n-th port after it"
  }),
  adminHost: setting({
    key: "admin.host",
    flag: "admin-host",
    value: hostAddress,
    default: "127.0.0.1",
    doc: "Address of the admin listener"
  }),
  adminToken: setting({
    key: "admin.token",
    flag: "admin-token",
    isSecret: true,
    value: secret({
      placeholder: "token",
      rule: "a token of 16 characters or more without spaces",
      pattern: /^[\x21-\x7e]{16,}$/u
    }),
    doc:
      "Bearer token for writing to the ledger and the pool through the admin listener; if not set, writing is disabled"
  }),
  adminConnectionsMax: setting({
    key: "admin.connections_max",
    flag: "admin-connections-max",
    sets: "admin.adminConnectionsMax",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Concurrent connections to the admin listener",
    limit: { beyond: "the connection is closed at once" }
  }),
  adminHeadersTimeoutMs: setting({
    key: "admin.headers_timeout_ms",
    flag: "admin-headers-timeout-ms",
    sets: "admin.adminHeadersTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout for receiving the headers of a request to the admin listener",
    limit: { beyond: "408, and the connection is closed" }
  }),
  adminHeaderBytesMax: setting({
    key: "admin.header_bytes_max",
    flag: "admin-header-bytes-max",
    sets: "admin.adminHeaderBytesMax",
    value: integer({ minimum: 1024, maximum: 1_048_576 }),
    default: 16_384,
    doc: "Bytes of URL and headers of a request to the admin listener",
    limit: { beyond: "431, and the connection is closed" }
  }),
  adminBodyIdleMs: setting({
    key: "admin.body_idle_ms",
    flag: "admin-body-idle-ms",
    sets: "admin.adminBodyIdleMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for a client that stops sending while it posts a feed or pool commands",
    limit: { beyond: "408, and the connection is closed" }
  }),
  feedLineBytesMax: setting({
    key: "admin.feed_line_bytes_max",
    sets: "admin.feedLineBytesMax",
    value: integer({ minimum: 1024, maximum: 536_870_912 }),
    default: 33_554_432,
    doc: "Bytes of one record of a posted feed",
    limit: { beyond: "413; the records before it are applied" }
  }),
  feedRecordTimeoutMs: setting({
    key: "admin.feed_record_timeout_ms",
    sets: "admin.feedRecordTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for applying one record of a posted feed",
    limit: { beyond: "503 with Retry-After; the record may have been applied" }
  }),
  poolBodyBytesMax: setting({
    key: "admin.pool_body_bytes_max",
    sets: "admin.poolBodyBytesMax",
    value: integer({ minimum: 1024, maximum: 536_870_912 }),
    default: 4_194_304,
    doc: "Bytes of one posted list of pool commands",
    limit: { beyond: "413; no command is executed" }
  }),
  ledgerAgeMaxSeconds: setting({
    key: "admin.ledger_age_max_seconds",
    value: number({ minimum: 1, maximum: 31_536_000 }),
    doc:
      "Seconds without a new block or head after which the server reports that it is not ready; unlimited if not set"
  }),
  requestLog: setting({
    key: "log.requests",
    flag: "request-log",
    value: yesNo,
    default: true,
    doc: "Log one line per request"
  }),
  serverTiming: setting({
    key: "admin.server_timing",
    value: yesNo,
    default: false,
    doc: "Send the duration of each request in the response header Server-Timing"
  }),
  otlpUrl: setting({
    key: "otlp.url",
    flag: "otlp-url",
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    value: webUrl({
      // fetch sends no request to a URL with them
      rule: "a URL such as http://127.0.0.1:4318, without user and password",
      pattern: /^[^\s@]+$/u
    }),
    doc:
      "OpenTelemetry collector that receives metrics and traces over OTLP/HTTP as JSON; disabled if not set"
  }),
  traceRatio: setting({
    key: "otlp.trace_ratio",
    value: number({ minimum: 0, maximum: 1 }),
    default: 1,
    doc: "Share of requests to trace, among those without a sampling decision of the caller"
  })
})
