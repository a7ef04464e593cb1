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
 * Every setting, declared once: flags, variables, the configuration file, the help, what `config` prints and the table of the README are
 * made from here.
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

export const listening = group("Where it listens", {
  port: setting({
    key: "server.port",
    flag: "port",
    variable: "PORT",
    value: integer({ minimum: 0, maximum: 65535 }),
    default: 8080,
    doc: "Port to listen on; 0 takes a free one"
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
    doc: "Address to listen on; 0.0.0.0 is every one"
  }),
  workers: setting({
    key: "server.workers",
    flag: "workers",
    variable: "WORKERS",
    value: integerOr("cores", { minimum: 1, maximum: 1024 }),
    default: 1,
    doc:
      "Processes that serve the port; `cores` starts one for each core. More than one needs a database"
  }),
  shutdownTimeoutMs: setting({
    key: "server.shutdown_timeout_ms",
    flag: "shutdown-timeout-ms",
    value: integer({ minimum: 0, maximum: 3_600_000 }),
    default: 5000,
    doc: "How long answers that have begun may take after a signal to stop"
  }),
  laterPath: setting({
    key: "server.later_path",
    flag: "later-path",
    value: text(mountPath),
    default: "/",
    doc: "Where the revision `later` is served; off leaves it out"
  }),
  earlierPath: setting({
    key: "server.earlier_path",
    flag: "earlier-path",
    value: text(mountPath),
    default: "/earlier",
    doc: "Where the revision `earlier` is served; off leaves it out"
  })
})

export const storage = group("Where data are caching", {
  data: setting({
    key: "data.directory",
    flag: "data",
    variable: "DATA_DIR",
    value: text({ ...fileName, placeholder: "directory", completions: "directory" }),
    default: ".rollup-node",
    doc: "Directory that keeps the data; created where it is missing"
  }),
  memory: setting({
    key: "data.memory",
    flag: "memory",
    value: yesNo,
    default: false,
    doc: "Keep nothing: all data are in memory and end with the program"
  })
})

export const database = group("PostgreSQL", {
  database: setting({
    key: "database.url",
    flag: "database",
    variable: "DATABASE_URL",
    value: secret(postgres),
    isSecret: true,
    doc: "Database that keeps the data, instead of a directory"
  })
})

export const replica = group("PostgreSQL", {
  replica: setting({
    key: "database.replica_url",
    flag: "replica",
    variable: "DATABASE_REPLICA_URL",
    value: secret(postgres),
    isSecret: true,
    doc: "A copy of the database to read the ledger from; it may lag behind"
  })
})

export const connections = group("PostgreSQL", {
  connectionsMax: setting({
    key: "database.connections_max",
    flag: "database-connections-max",
    value: integer({ minimum: 4, maximum: 10_000 }),
    default: 16,
    doc: "Connections of each process; one more while migrations are applied"
  }),
  statementTimeoutMs: setting({
    key: "database.statement_timeout_ms",
    flag: "database-statement-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "How long the database works on one statement"
  }),
  queueWaitMs: setting({
    key: "database.queue_wait_ms",
    flag: "database-queue-wait-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 2000,
    doc: "How long a statement waits for a connection"
  }),
  connectTimeoutMs: setting({
    key: "database.connect_timeout_ms",
    flag: "database-connect-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 3000,
    doc: "How long opening a connection may take"
  }),
  idleTransactionMs: setting({
    key: "database.idle_transaction_ms",
    flag: "database-idle-transaction-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "How long a transaction may stand still, as that of a frozen process does"
  })
})

export const network = group("Which network", {
  seed: setting({
    key: "network.seed",
    flag: "seed",
    value: text({ placeholder: "text", rule: "a text that is not empty", pattern: /\S/u }),
    default: "1",
    doc: "Seed of the simulated network: the same seed gives the same network"
  }),
  transactions: setting({
    key: "network.transactions",
    flag: "transactions",
    value: integer({ minimum: 0 }),
    default: 3000,
    doc: "Transactions that the simulated network has from the start"
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
    doc: "Prefix of identifiers and of the names that contain it"
  })
})

const pace = group("Which network", {
  paceSeconds: setting({
    key: "network.pace_seconds",
    flag: "pace",
    value: number({ minimum: 0, maximum: 86_400 }),
    default: 3,
    doc: "Seconds between two blocks of the simulated network; 0 stands still"
  }),
  empty: setting({
    key: "network.empty",
    flag: "empty",
    value: yesNo,
    default: false,
    doc: "Start with the genesis alone and stand still"
  }),
  feed: setting({
    key: "network.feed",
    flag: "feed",
    value: text(fileName),
    doc: "Follow a feed in NDJSON instead of simulating; - is the standard input"
  })
})

const clientLimits = group("What is borne of clients", {
  requestsMax: setting({
    key: "limits.requests_max",
    flag: "requests-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 1024,
    doc:
      "Requests that wait for their answers at once, in each process; what is answered without waiting does not count"
  }),
  queueDelayTargetMs: setting({
    key: "limits.queue_delay_target_ms",
    flag: "queue-delay-target-ms",
    value: integer({ minimum: 0, maximum: 60_000 }),
    default: 5,
    doc:
      "How long a request may wait until its answer is computed, while the server is overloaded; 0 refuses nothing"
  }),
  httpConnectionsMax: setting({
    key: "limits.connections_max",
    flag: "connections-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 10_000,
    doc: "Connections of clients at once, in each process"
  }),
  headersTimeoutMs: setting({
    key: "limits.headers_timeout_ms",
    flag: "headers-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "How long the headers of a request may take to arrive"
  }),
  requestTimeoutMs: setting({
    key: "limits.request_timeout_ms",
    flag: "request-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 30_000,
    doc: "How long a whole request may take to arrive"
  }),
  idleTimeoutMs: setting({
    key: "limits.idle_timeout_ms",
    flag: "idle-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "How long a connection stays on which nothing is asked"
  }),
  sendTimeoutMs: setting({
    key: "limits.send_timeout_ms",
    flag: "send-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "How long a client may take to read an answer"
  }),
  unreadBytesMax: setting({
    key: "limits.unread_bytes_max",
    flag: "unread-bytes-max",
    value: integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER }),
    default: 268_435_456,
    doc: "Bytes of answers that clients may leave unread, in each process"
  }),
  ratePerSecondMax: setting({
    key: "limits.rate_per_second_max",
    flag: "rate-per-second-max",
    value: number({ minimum: 0, maximum: 1_000_000 }),
    default: 0,
    doc: "Requests a second of one address, or of one network of 64 bits in IPv6; 0 is no bound"
  }),
  rateBurstMax: setting({
    key: "limits.rate_burst_max",
    flag: "rate-burst-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Requests that one address may send at once, where they are bounded"
  }),
  rateAddressesMax: setting({
    key: "limits.rate_addresses_max",
    flag: "rate-addresses-max",
    value: integer({ minimum: 1, maximum: 10_000_000 }),
    default: 65_536,
    doc:
      "Addresses whose requests are counted at once, some 100 bytes each; beyond, who asked longest ago is forgotten"
  }),
  trustedProxies: setting({
    key: "limits.trusted_proxies",
    flag: "trusted-proxies",
    value: networks,
    doc:
      "Proxies whose X-Forwarded-For says for whom they ask; none where it is not set, and then the peer is the client"
  })
})

const requestLimits = group("What is read from a client", {
  jsonDepthMax: setting({
    key: "limits.json_depth_max",
    flag: "json-depth-max",
    value: integer({ minimum: 1, maximum: 1000 }),
    default: 32,
    doc: "Levels of objects and arrays in a body"
  }),
  listItemsMax: setting({
    key: "limits.list_items_max",
    flag: "list-items-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 2049,
    doc: "Items that a parameter lists, such as those of ids"
  }),
  urlBytesMax: setting({
    key: "limits.url_bytes_max",
    flag: "url-bytes-max",
    value: integer({ minimum: 256, maximum: 1_048_576 }),
    default: 8192,
    doc: "Bytes of path and query"
  }),
  headerBytesMax: setting({
    key: "limits.header_bytes_max",
    flag: "header-bytes-max",
    value: integer({ minimum: 1024, maximum: 1_048_576 }),
    default: 16_384,
    doc: "Bytes of all headers"
  }),
  bodyBytesMax: setting({
    key: "limits.body_bytes_max",
    flag: "body-bytes-max",
    value: integer({ minimum: 1024, maximum: 67_108_864 }),
    default: 65_536,
    doc: "Bytes of a body"
  })
})

const pool = group("What is taken into the pool", {
  pendingMax: setting({
    key: "pool.pending_max",
    flag: "pending-max",
    value: integer({ minimum: 0 }),
    default: 100_000,
    doc: "Pending transactions that the pool holds"
  }),
  pendingPerAccountMax: setting({
    key: "pool.pending_per_account_max",
    flag: "pending-per-account-max",
    value: integer({ minimum: 0 }),
    default: 1000,
    doc: "Pending transactions of one sender"
  }),
  minFeeUSD: setting({
    key: "pool.min_fee_usd",
    flag: "min-fee-usd",
    value: number({ minimum: 0 }),
    default: 0,
    doc: "Least fee in US dollars; a token without price counts as worth nothing"
  }),
  maxFeeUSD: setting({
    key: "pool.max_fee_usd",
    flag: "max-fee-usd",
    value: number({ minimum: 0 }),
    doc: "Greatest fee in US dollars; no bound where it is not set"
  }),
  verifierThreadsMax: setting({
    key: "pool.verifier_threads_max",
    flag: "verifier-threads-max",
    value: integer({ minimum: 1, maximum: 1024 }),
    doc: "Threads that verify signatures, in each process; one for each core where it is not set"
  }),
  verifierQueueMax: setting({
    key: "pool.verifier_queue_max",
    flag: "verifier-queue-max",
    value: integer({ minimum: 0, maximum: 1_000_000 }),
    default: 4096,
    doc: "Verifications that wait for a thread"
  })
})

const caching = group("What is caching ready", {
  answersBytesMax: setting({
    key: "cache.answers_bytes_max",
    flag: "answers-bytes-max",
    value: integer({ minimum: 0 }),
    default: 67_108_864,
    doc: "Bytes of whole answers that are caching ready; 0 keeps none"
  }),
  textsMax: setting({
    key: "cache.texts_max",
    flag: "texts-max",
    value: integer({ minimum: 0 }),
    default: 67_108_864,
    doc: "Characters of written objects that are caching ready"
  }),
  finalAfterBatches: setting({
    key: "cache.final_after_batches",
    flag: "final-after-batches",
    value: integer({ minimum: 1 }),
    default: 1000,
    doc: "Batches after which one is too deep for a rollback, so that caches may keep it for good"
  })
})

export const log = group("What is told", {
  logLevel: setting({
    key: "log.level",
    flag: "log-level",
    value: choice(["debug", "info", "warn", "error"]),
    default: "info",
    doc: "Least weight of what is told"
  }),
  logFormat: setting({
    key: "log.format",
    flag: "log-format",
    value: choice(["auto", "text", "json"]),
    default: "auto",
    doc:
      "Lines to read, or a JSON object on each line; auto is lines, but for a server that does not write to a terminal"
  })
})

export const monitoring = group("How it is watched", {
  adminPort: setting({
    key: "admin.port",
    flag: "admin-port",
    value: portOrOff,
    doc:
      "Port of the admin listener: health and metrics; 9464 where it is not set, any free one where the server takes any, and off for none. Each further process of a group takes the next one"
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
      "Lets who has it feed the ledger and move the pool over the admin listener; without it that cannot be done"
  }),
  adminConnectionsMax: setting({
    key: "admin.connections_max",
    flag: "admin-connections-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Connections to the admin listener at once"
  }),
  adminHeadersTimeoutMs: setting({
    key: "admin.headers_timeout_ms",
    flag: "admin-headers-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "How long the headers of a request to the admin listener may take to arrive"
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
    doc: "How long the sender of a feed or of commands may send nothing"
  }),
  feedLineBytesMax: setting({
    key: "admin.feed_line_bytes_max",
    flag: "feed-line-bytes-max",
    value: integer({ minimum: 1024, maximum: 536_870_912 }),
    default: 33_554_432,
    doc: "Bytes of one record of a feed that is posted"
  }),
  feedRecordTimeoutMs: setting({
    key: "admin.feed_record_timeout_ms",
    flag: "feed-record-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "How long the ledger may take to apply one record of a feed that is posted"
  }),
  poolBodyBytesMax: setting({
    key: "admin.pool_body_bytes_max",
    flag: "pool-body-bytes-max",
    value: integer({ minimum: 1024, maximum: 536_870_912 }),
    default: 4_194_304,
    doc: "Bytes of the commands for the pool that are posted together"
  }),
  ledgerAgeMaxSeconds: setting({
    key: "admin.ledger_age_max_seconds",
    flag: "ledger-age-max-seconds",
    value: number({ minimum: 1, maximum: 31_536_000 }),
    doc:
      "How long the ledger may stand still before the server says that it is not ready; any time where it is not set"
  }),
  requestLog: setting({
    key: "log.requests",
    flag: "request-log",
    value: yesNo,
    default: true,
    doc: "A line for each request"
  }),
  serverTiming: setting({
    key: "admin.server_timing",
    flag: "server-timing",
    value: yesNo,
    default: false,
    doc: "Answers say in the header Server-Timing how long they took"
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
      "OpenTelemetry collector that metrics and traces are sent to, over OTLP/HTTP in JSON; none where it is not set"
  }),
  traceRatio: setting({
    key: "otlp.trace_ratio",
    flag: "trace-ratio",
    value: number({ minimum: 0, maximum: 1 }),
    default: 1,
    doc: "Share of the requests that are traced, of those that do not say so by themselves"
  })
})

/** What a server can be told. */
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
