import { group, setting } from "../setting.ts"
import { filePath, integer, number, secret, yesNo } from "../value.ts"

const postgres = {
  placeholder: "url",
  rule: "a URL such as postgresql://user:password@host:5432/name",
  pattern: /^postgres(?:ql)?:\/\/\S+$/u
} as const

export const storage = group("Data storage", {
  data: setting({
    key: "data.directory",
    flag: "data",
    variable: "DATA_DIR",
    value: { ...filePath, placeholder: "directory", completions: "directory" },
    default: ".rollup-node",
    doc: "Data directory; created if it does not exist"
  }),
  memory: setting({
    key: "data.memory",
    value: yesNo,
    default: false,
    doc: "Keep all data in memory; they are lost when the program exits"
  })
})

export const checkpoints = group("Data storage", {
  journalBytesMax: setting({
    key: "data.journal_bytes_max",
    value: integer({ minimum: 65_536, maximum: 2 ** 40 }),
    default: 2 * 2 ** 20,
    doc: "Bytes of records in the data directory after which a checkpoint replaces them"
  }),
  poolHistorySeconds: setting({
    key: "data.pool_history_seconds",
    value: integer({ minimum: 1, maximum: 2 ** 32 }),
    default: 86_400,
    doc:
      "Time for which the transitions of a transaction are kept after it left the pool; with a data directory"
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
    sets: "database.maxConnections",
    value: integer({ minimum: 4, maximum: 10_000 }),
    default: 16,
    doc: "Connections per process; one more while migrations run",
    limit: { beyond: "statements wait", metric: "rollup_database_waits_total" }
  }),
  statementTimeoutMs: setting({
    key: "database.statement_timeout_ms",
    flag: "database-statement-timeout-ms",
    sets: "database.statementTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout of one statement",
    limit: { beyond: "the statement is cancelled; 503 with Retry-After" }
  }),
  queueWaitMs: setting({
    key: "database.queue_wait_ms",
    flag: "database-queue-wait-ms",
    sets: "database.queueWaitMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 2000,
    doc: "Time that a statement may wait for a connection",
    limit: { beyond: "503 with Retry-After" }
  }),
  pairReadsMax: setting({
    key: "database.pair_reads_max",
    flag: "database-pair-reads-max",
    sets: "database.pairReadsMax",
    value: integer({ minimum: 1, maximum: 10_000 }),
    default: 2,
    doc:
      "Concurrent lists of the transactions from a sender to another receiver, in all batches, per process; each reads the shorter one of the lists of the two",
    limit: { beyond: "503 with Retry-After" }
  }),
  connectTimeoutMs: setting({
    key: "database.connect_timeout_ms",
    flag: "database-connect-timeout-ms",
    sets: "database.connectTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 3000,
    doc: "Timeout for opening a connection"
  }),
  waitSeconds: setting({
    key: "database.wait_seconds",
    flag: "database-wait",
    value: number({ minimum: 0, maximum: 86_400 }),
    doc:
      "Seconds that a start waits for a database that does not answer; 0 does not wait. If not set: 60 for serve, 0 for other commands"
  }),
  idleTransactionMs: setting({
    key: "database.idle_transaction_ms",
    flag: "database-idle-transaction-ms",
    sets: "database.idleTransactionMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Time that a transaction may stay idle, for example if its process is frozen"
  })
})
