import { group, setting } from "./setting.ts"
import {
  choice,
  integer,
  integerOr,
  networks,
  number,
  portOrOff,
  secret,
  text,
  yesNo
} from "./value.ts"

/*
 * Declares every setting once. Flags, environment variables, the configuration file, the help, the
 * output of `config print` and the table of the README derive from these declarations.
 */

const fileName = {
  placeholder: "path",
  rule: "a path that is not empty",
  pattern: /\S/u,
  completions: "file"
} as const
const postgres = {
  placeholder: "url",
  rule: "a URL such as postgresql://user:password@host:5432/name",
  pattern: /^postgres(?:ql)?:\/\/\S+$/u
} as const
const mountPath = {
  placeholder: "path",
  rule: "/, a path such as /earlier, or off",
  pattern: /^(?:off|\/|(?:\/[\w.~-]+)+)$/u
} as const

export const listening = group("Listening", {
  port: setting({
    key: "server.port",
    flag: "port",
    variable: "PORT",
    value: integer({ minimum: 0, maximum: 65535 }),
    default: 8080,
    doc: "Port to listen on; 0 selects a free port"
  }),
  host: setting({
    key: "server.host",
    flag: "host",
    variable: "HOST",
    value: text({
      placeholder: "address",
      rule: "an address or a name, such as 127.0.0.1",
      pattern: /^\S+$/u
    }),
    default: "127.0.0.1",
    doc: "Address to listen on; 0.0.0.0 listens on all IPv4 addresses"
  }),
  workers: setting({
    key: "server.workers",
    flag: "workers",
    variable: "WORKERS",
    value: integerOr("cores", { minimum: 1, maximum: 1024 }),
    default: 1,
    doc:
      "Number of processes that serve the port; `cores` starts one per core. More than one requires a database"
  }),
  shutdownTimeoutMs: setting({
    key: "server.shutdown_timeout_ms",
    flag: "shutdown-timeout-ms",
    value: integer({ minimum: 0, maximum: 3_600_000 }),
    default: 5000,
    doc: "Time for responses in progress to finish after a signal to stop"
  }),
  laterPath: setting({
    key: "server.later_path",
    flag: "later-path",
    value: text(mountPath),
    default: "/",
    doc: "Path of the revision `later`; off disables it"
  }),
  earlierPath: setting({
    key: "server.earlier_path",
    flag: "earlier-path",
    value: text(mountPath),
    default: "/earlier",
    doc: "Path of the revision `earlier`; off disables it"
  })
})

export const storage = group("Data storage", {
  data: setting({
    key: "data.directory",
    flag: "data",
    variable: "DATA_DIR",
    value: text({ ...fileName, placeholder: "directory", completions: "directory" }),
    default: ".rollup-node",
    doc: "Data directory; created if it does not exist"
  }),
  memory: setting({
    key: "data.memory",
    flag: "memory",
    value: yesNo,
    default: false,
    doc: "Keep all data in memory; they are lost when the program exits"
  })
})

export const database = group("PostgreSQL", {
  database: setting({
    key: "database.url",
    flag: "database",
    variable: "DATABASE_URL",
    value: secret(postgres),
    isSecret: true,
    doc: "Database that stores the data, instead of a directory"
  })
})

export const replica = group("PostgreSQL", {
  replica: setting({
    key: "database.replica_url",
    flag: "replica",
    variable: "DATABASE_REPLICA_URL",
    value: secret(postgres),
    isSecret: true,
    doc: "Read replica of the database for ledger queries; it may lag"
  })
})

export const connections = group("PostgreSQL", {
  connectionsMax: setting({
    key: "database.connections_max",
    flag: "database-connections-max",
    value: integer({ minimum: 4, maximum: 10_000 }),
    default: 16,
    doc: "Connections per process; one more while migrations run"
  }),
  statementTimeoutMs: setting({
    key: "database.statement_timeout_ms",
    flag: "database-statement-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout of one statement"
  }),
  queueWaitMs: setting({
    key: "database.queue_wait_ms",
    flag: "database-queue-wait-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 2000,
    doc: "Time that a statement may wait for a connection"
  }),
  connectTimeoutMs: setting({
    key: "database.connect_timeout_ms",
    flag: "database-connect-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 3000,
    doc: "Timeout for opening a connection"
  }),
  idleTransactionMs: setting({
    key: "database.idle_transaction_ms",
    flag: "database-idle-transaction-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Time that a transaction may stay idle, for example if its process is frozen"
  })
})

export const network = group("Network", {
  seed: setting({
    key: "network.seed",
    flag: "seed",
    value: text({ placeholder: "text", rule: "a text that is not empty", pattern: /\S/u }),
    default: "1",
    doc: "Seed of the simulated network; the same seed generates the same network"
  }),
  transactions: setting({
    key: "network.transactions",
    flag: "transactions",
    value: integer({ minimum: 0 }),
    default: 3000,
    doc: "Transactions that the simulated network has at the start"
  }),
  prefix: setting({
    key: "network.prefix",
    flag: "prefix",
    default: "zk",
    value: text({
      placeholder: "text",
      rule: "up to 16 lower-case letters and digits, a letter first",
      pattern: /^[a-z][a-z0-9]{0,15}$/u
    }),
    doc: "Prefix of identifiers and of field names that contain it"
  })
})

const pace = group("Network", {
  paceSeconds: setting({
    key: "network.pace_seconds",
    flag: "pace",
    value: number({ minimum: 0, maximum: 86_400 }),
    default: 3,
    doc: "Seconds between two blocks of the simulated network; 0 adds no blocks"
  }),
  empty: setting({
    key: "network.empty",
    flag: "empty",
    value: yesNo,
    default: false,
    doc: "Start with the genesis only and add no blocks"
  }),
  feed: setting({
    key: "network.feed",
    flag: "feed",
    value: text(fileName),
    doc: "Follow a feed in NDJSON instead of a simulated network; - reads standard input"
  })
})

const clientLimits = group("Client limits", {
  requestsMax: setting({
    key: "limits.requests_max",
    flag: "requests-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 1024,
    doc: "Concurrent requests per process; requests that are answered at once do not count"
  }),
  queueDelayTargetMs: setting({
    key: "limits.queue_delay_target_ms",
    flag: "queue-delay-target-ms",
    value: integer({ minimum: 0, maximum: 60_000 }),
    default: 5,
    doc: "Target queue delay of requests while the server is overloaded; 0 disables load shedding"
  }),
  httpConnectionsMax: setting({
    key: "limits.connections_max",
    flag: "connections-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 10_000,
    doc: "Concurrent client connections per process"
  }),
  headersTimeoutMs: setting({
    key: "limits.headers_timeout_ms",
    flag: "headers-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout for receiving the request headers"
  }),
  requestTimeoutMs: setting({
    key: "limits.request_timeout_ms",
    flag: "request-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 30_000,
    doc: "Timeout for receiving the whole request"
  }),
  idleTimeoutMs: setting({
    key: "limits.idle_timeout_ms",
    flag: "idle-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Time that a connection without requests stays open"
  }),
  sendTimeoutMs: setting({
    key: "limits.send_timeout_ms",
    flag: "send-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for a client to read a response"
  }),
  unreadBytesMax: setting({
    key: "limits.unread_bytes_max",
    flag: "unread-bytes-max",
    value: integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER }),
    default: 268_435_456,
    doc: "Bytes of responses that clients have not read yet, per process"
  }),
  ratePerSecondMax: setting({
    key: "limits.rate_per_second_max",
    flag: "rate-per-second-max",
    value: number({ minimum: 0, maximum: 1_000_000 }),
    default: 0,
    doc: "Requests per second from one IPv4 address or IPv6 /64 network; 0 disables rate limiting"
  }),
  rateBurstMax: setting({
    key: "limits.rate_burst_max",
    flag: "rate-burst-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Requests that one address may send in a burst if rate limiting is enabled"
  }),
  rateAddressesMax: setting({
    key: "limits.rate_addresses_max",
    flag: "rate-addresses-max",
    value: integer({ minimum: 1, maximum: 10_000_000 }),
    default: 65_536,
    doc:
      "Addresses tracked by rate limiting, about 100 bytes each; the least recently seen is evicted"
  }),
  trustedProxies: setting({
    key: "limits.trusted_proxies",
    flag: "trusted-proxies",
    value: networks,
    doc: "Proxies whose X-Forwarded-For header names the client; if not set, the peer is the client"
  })
})

const requestLimits = group("Request limits", {
  jsonDepthMax: setting({
    key: "limits.json_depth_max",
    flag: "json-depth-max",
    value: integer({ minimum: 1, maximum: 1000 }),
    default: 32,
    doc: "Nesting depth of objects and arrays in a request body"
  }),
  listItemsMax: setting({
    key: "limits.list_items_max",
    flag: "list-items-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 2049,
    doc: "Items in a list parameter, such as `ids`"
  }),
  urlBytesMax: setting({
    key: "limits.url_bytes_max",
    flag: "url-bytes-max",
    value: integer({ minimum: 256, maximum: 1_048_576 }),
    default: 8192,
    doc: "Bytes of the URL (path and query)"
  }),
  headerBytesMax: setting({
    key: "limits.header_bytes_max",
    flag: "header-bytes-max",
    value: integer({ minimum: 1024, maximum: 1_048_576 }),
    default: 16_384,
    doc: "Bytes of all request headers"
  }),
  bodyBytesMax: setting({
    key: "limits.body_bytes_max",
    flag: "body-bytes-max",
    value: integer({ minimum: 1024, maximum: 67_108_864 }),
    default: 65_536,
    doc: "Bytes of a request body"
  })
})

const pool = group("Transaction pool", {
  pendingMax: setting({
    key: "pool.pending_max",
    flag: "pending-max",
    value: integer({ minimum: 0 }),
    default: 100_000,
    doc: "Pending transactions in the pool"
  }),
  pendingPerAccountMax: setting({
    key: "pool.pending_per_account_max",
    flag: "pending-per-account-max",
    value: integer({ minimum: 0 }),
    default: 1000,
    doc: "Pending transactions per sender account"
  }),
  minFeeUSD: setting({
    key: "pool.min_fee_usd",
    flag: "min-fee-usd",
    value: number({ minimum: 0 }),
    default: 0,
    doc: "Minimum fee in US dollars; tokens without a price have the value 0"
  }),
  maxFeeUSD: setting({
    key: "pool.max_fee_usd",
    flag: "max-fee-usd",
    value: number({ minimum: 0 }),
    doc: "Maximum fee in US dollars; unlimited if not set"
  }),
  verifierThreadsMax: setting({
    key: "pool.verifier_threads_max",
    flag: "verifier-threads-max",
    value: integer({ minimum: 1, maximum: 1024 }),
    doc: "Threads that verify signatures, per process; one per core if not set"
  }),
  verifierQueueMax: setting({
    key: "pool.verifier_queue_max",
    flag: "verifier-queue-max",
    value: integer({ minimum: 0, maximum: 1_000_000 }),
    default: 4096,
    doc: "Verifications waiting for a thread"
  })
})

const caching = group("Caching", {
  answersBytesMax: setting({
    key: "cache.answers_bytes_max",
    flag: "answers-bytes-max",
    value: integer({ minimum: 0 }),
    default: 67_108_864,
    doc: "Bytes of cached responses; 0 disables the response cache"
  }),
  textsMax: setting({
    key: "cache.texts_max",
    flag: "texts-max",
    value: integer({ minimum: 0 }),
    default: 67_108_864,
    doc: "Characters of cached JSON fragments"
  }),
  finalAfterBatches: setting({
    key: "cache.final_after_batches",
    flag: "final-after-batches",
    value: integer({ minimum: 1 }),
    default: 1000,
    doc:
      "Batches after which a batch is final: no rollback reaches it, and caches may keep it indefinitely"
  })
})

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
      "Port of the admin listener (health and metrics); off disables it. If not set: 9464, or a free port if --port is 0. Each further worker uses the next port"
  }),
  adminHost: setting({
    key: "admin.host",
    flag: "admin-host",
    value: text({
      placeholder: "address",
      rule: "an address or a name, such as 127.0.0.1",
      pattern: /^\S+$/u
    }),
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
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Concurrent connections to the admin listener"
  }),
  adminHeadersTimeoutMs: setting({
    key: "admin.headers_timeout_ms",
    flag: "admin-headers-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout for receiving the headers of a request to the admin listener"
  }),
  adminHeaderBytesMax: setting({
    key: "admin.header_bytes_max",
    flag: "admin-header-bytes-max",
    value: integer({ minimum: 1024, maximum: 1_048_576 }),
    default: 16_384,
    doc: "Bytes of URL and headers of a request to the admin listener"
  }),
  adminBodyIdleMs: setting({
    key: "admin.body_idle_ms",
    flag: "admin-body-idle-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for a client that stops sending while it posts a feed or pool commands"
  }),
  feedLineBytesMax: setting({
    key: "admin.feed_line_bytes_max",
    flag: "feed-line-bytes-max",
    value: integer({ minimum: 1024, maximum: 536_870_912 }),
    default: 33_554_432,
    doc: "Bytes of one record of a posted feed"
  }),
  feedRecordTimeoutMs: setting({
    key: "admin.feed_record_timeout_ms",
    flag: "feed-record-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for applying one record of a posted feed"
  }),
  poolBodyBytesMax: setting({
    key: "admin.pool_body_bytes_max",
    flag: "pool-body-bytes-max",
    value: integer({ minimum: 1024, maximum: 536_870_912 }),
    default: 4_194_304,
    doc: "Bytes of one posted list of pool commands"
  }),
  ledgerAgeMaxSeconds: setting({
    key: "admin.ledger_age_max_seconds",
    flag: "ledger-age-max-seconds",
    value: number({ minimum: 1, maximum: 31_536_000 }),
    doc:
      "Seconds without a new block after which the server reports that it is not ready; unlimited if not set"
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
    flag: "server-timing",
    value: yesNo,
    default: false,
    doc: "Send the duration of each request in the response header Server-Timing"
  }),
  otlpUrl: setting({
    key: "otlp.url",
    flag: "otlp-url",
    variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
    value: text({
      placeholder: "url",
      rule: "a URL such as http://127.0.0.1:4318",
      pattern: /^https?:\/\/\S+$/u
    }),
    doc:
      "OpenTelemetry collector that receives metrics and traces over OTLP/HTTP as JSON; disabled if not set"
  }),
  traceRatio: setting({
    key: "otlp.trace_ratio",
    flag: "trace-ratio",
    value: number({ minimum: 0, maximum: 1 }),
    default: 1,
    doc: "Share of requests to trace, among those without a sampling decision of the caller"
  })
})

/** All settings of a server. */
export const serverSettings = {
  ...listening,
  ...storage,
  ...database,
  ...replica,
  ...connections,
  ...network,
  ...pace,
  ...requestLimits,
  ...clientLimits,
  ...pool,
  ...caching,
  ...monitoring,
  ...log
}
