import { command, filePath, flagOnly, settings } from "../config/mod.ts"
import * as options from "./options.ts"
import { checkDatabase, checkVerified } from "./rules.ts"

/* Declares the commands that work on a store or a feed without a server. */

export const migrate = command({
  name: "migrate",
  group: "Load, move and verify data",
  summary: "Bring the schema of a PostgreSQL database up to date",
  description: [
    "serve and ingest also migrate at start. If several processes start together, only one migrates."
  ],
  examples: [
    {
      words: "migrate --dry-run",
      doc: "List what would be applied to the database in DATABASE_URL"
    },
    {
      words: "migrate --database postgresql://user:password@localhost/rollup",
      doc: "Apply the migrations"
    }
  ],
  options: {
    dryRun: options.dryRun,
    ...settings.database,
    ...settings.connections,
    ...settings.log
  },
  rules: checkDatabase,
  load: async () => (await import("./migrate.ts")).migrate
})

export const simulate = command({
  name: "simulate",
  group: "Load, move and verify data",
  summary: "Write the feed of a simulated network as NDJSON",
  description: ["The same seed generates the same bytes. serve --feed and ingest read the feed."],
  examples: [
    {
      words: "simulate --seed 7 --transactions 10000 --out network.ndjson",
      doc: "Write 10000 transactions with their blocks, batches and bids"
    },
    {
      words: "simulate --no-true-roots > network.ndjson",
      doc: "Faster, with placeholder state roots"
    }
  ],
  options: {
    ...settings.network,
    ...settings.chain,
    publicUrl: settings.listening.publicUrl,
    out: options.out,
    trueRoots: options.trueRoots,
    ...settings.log
  },
  writesData: true,
  load: async () => (await import("./write_feed.ts")).writeSimulatedFeed
})

export const ingest = command({
  name: "ingest",
  group: "Load, move and verify data",
  summary: "Load a feed into a PostgreSQL database, with all checks",
  description: [
    "Reports progress. If you start it again, it continues after the last stored block."
  ],
  examples: [
    {
      words: "ingest network.ndjson --database postgresql://user:password@localhost/rollup",
      doc: "Load a file"
    },
    {
      words: "ingest - < network.ndjson",
      doc: "Load standard input into the database in DATABASE_URL"
    }
  ],
  argument: flagOnly({
    flag: "feed",
    value: { ...filePath, rule: "a file in NDJSON, or - for the standard input" },
    doc: "Feed written by export or simulate"
  }),
  options: { ...settings.database, ...settings.connections, ...settings.log },
  rules: checkDatabase,
  load: async () => (await import("./ingest.ts")).ingest
})

export const exportFeed = command({
  name: "export",
  group: "Load, move and verify data",
  summary: "Export the ledger of a data directory as an NDJSON feed, for import into another store",
  examples: [{
    words: "export --data .rollup-node --out network.ndjson",
    doc: "Export all records, including rollbacks"
  }],
  options: { data: settings.storage.data, out: options.out, ...settings.log },
  writesData: true,
  load: async () => (await import("./write_feed.ts")).exportFeed
})

export const verify = command({
  name: "verify",
  group: "Load, move and verify data",
  summary: "Verify all data of a store, or a feed, and report each violation with its location",
  description: [
    "Recomputes every batch from the state before it, and compares every list, counter and proof",
    "with its sources. It changes no data. A database can stay in service: verify reads a snapshot",
    "from its start and takes no locks, but PostgreSQL keeps old row versions until it ends. No other",
    "process may use the data directory. The admin listener serves the last result at /verification."
  ],
  examples: [
    {
      words: "verify --database postgresql://user:password@localhost/rollup",
      doc: "Verify a database, which may be in service"
    },
    {
      words: "verify --data .rollup-node --state-root",
      doc: "Verify a data directory, including the state root of the last batch"
    },
    {
      words: "verify --feed network.ndjson --json",
      doc: "Verify a feed and print the result as JSON"
    }
  ],
  options: {
    data: settings.storage.data,
    ...settings.database,
    ...options.verify,
    ...settings.connections,
    ...settings.log
  },
  rules: checkVerified,
  writesData: true,
  load: async () => (await import("./verify/mod.ts")).verify
})
