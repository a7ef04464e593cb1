import { Effect } from "effect"
import { choice, type Command, command, flagOnly, settings, text } from "../config/mod.ts"
import { isSupervisor } from "../workers/mod.ts"
import * as options from "./options.ts"
import { checkDatabase, checkServer, checkVerified } from "./rules.ts"

/*
 * Declares the commands of the program. Each command imports its code when it runs, so that
 * starting a server does not load the others. To add a command, declare it and add it to `commands`.
 */

const feedFile = text({
  placeholder: "path",
  rule: "a file in NDJSON, or - for the standard input",
  pattern: /\S/u,
  completions: "file"
})
const revision = choice(["later", "earlier"])

const serve = command({
  name: "serve",
  summary: "Serve the API over a live, simulated network or over a feed",
  description: [
    "The data directory is .rollup-node in the working directory, unless a database or --memory is",
    "set. The server continues from existing data. A first signal (SIGTERM or SIGINT) stops it",
    "gracefully: responses in progress finish. A second signal exits at once."
  ],
  examples: [
    {
      words: "serve",
      doc: "Serve a live network at http://127.0.0.1:8080, with documentation at /docs"
    },
    {
      words: "serve --memory --empty --port 0",
      doc: "Start empty, in memory, on a free port"
    },
    {
      words: "serve --feed network.ndjson --database postgresql://user:password@localhost/rollup",
      doc: "Follow a feed and store it in a database"
    },
    {
      words: "serve --config rollup.toml",
      doc: "Read settings from a file; `config print` writes one"
    }
  ],
  options: settings.serverSettings,
  rules: checkServer,
  isService: true,
  run: (resolved) =>
    isSupervisor(resolved.workers)
      ? Effect.flatMap(Effect.promise(() => import("./serve.ts")), ({ superviseServers }) =>
        superviseServers(resolved))
      : Effect.flatMap(
        Effect.promise(() =>
          import("./serve.ts")
        ),
        ({ serve }) => serve(resolved)
      )
})

const migrate = command({
  name: "migrate",
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
  run: (resolved) =>
    Effect.flatMap(Effect.promise(() => import("./migrate.ts")), ({ migrate }) => migrate(resolved))
})

const simulate = command({
  name: "simulate",
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
  options: { ...settings.network, out: options.out, trueRoots: options.trueRoots, ...settings.log },
  writesData: true,
  run: (resolved) =>
    Effect.flatMap(
      Effect.promise(() => import("./write_feed.ts")),
      ({ writeSimulatedFeed }) => writeSimulatedFeed(resolved)
    )
})

const ingest = command({
  name: "ingest",
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
    value: feedFile,
    doc: "Feed written by export or simulate"
  }),
  options: { ...settings.database, ...settings.connections, ...settings.log },
  rules: checkDatabase,
  run: (resolved) =>
    Effect.flatMap(Effect.promise(() => import("./ingest.ts")), ({ ingest }) => ingest(resolved))
})

const exportFeed = command({
  name: "export",
  summary: "Export the ledger of a data directory as an NDJSON feed, for import into another store",
  examples: [{
    words: "export --data .rollup-node --out network.ndjson",
    doc: "Export all records, including rollbacks"
  }],
  options: { data: settings.storage.data, out: options.out, ...settings.log },
  writesData: true,
  run: (resolved) =>
    Effect.flatMap(
      Effect.promise(() => import("./export_feed.ts")),
      ({ exportFeed }) => exportFeed(resolved)
    )
})

const verify = command({
  name: "verify",
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
    feed: options.feedToVerify,
    json: options.json,
    exitSample: options.exitSample,
    stateRoot: options.stateRoot,
    violationsMax: options.violationsMax,
    ...settings.connections,
    ...settings.log
  },
  rules: checkVerified,
  writesData: true,
  run: (resolved) =>
    Effect.flatMap(
      Effect.promise(() => import("./verify/mod.ts")),
      ({ verify }) => verify(resolved)
    )
})

const openapi = command({
  name: "openapi",
  summary: "Print the OpenAPI document of a revision",
  description: [
    "A server with the same settings serves the same document at /openapi.json."
  ],
  examples: [
    { words: "openapi > openapi.json", doc: "Print the revision later" },
    { words: "openapi earlier --out earlier.json", doc: "Write the revision earlier to a file" }
  ],
  argument: flagOnly({
    flag: "revision",
    value: revision,
    default: "later",
    doc: "Revision of the API"
  }),
  options: {
    prefix: settings.network.prefix,
    laterPath: settings.listening.laterPath,
    earlierPath: settings.listening.earlierPath,
    out: options.out
  },
  writesData: true,
  run: (resolved) =>
    Effect.flatMap(
      Effect.promise(() => import("./print_openapi.ts")),
      ({ printOpenApi }) => printOpenApi(resolved)
    )
})

const configCheck = command({
  name: "config check",
  summary: "Check the configuration of a server and report all problems, without starting it",
  examples: [{
    words: "config check --config rollup.toml",
    doc: "Exits with 0 if the configuration is valid, with 2 if not"
  }],
  options: settings.serverSettings,
  rules: checkServer,
  run: (resolved, context) =>
    Effect.flatMap(
      Effect.promise(() => import("./show_config.ts")),
      ({ reportValidConfig }) => reportValidConfig(resolved, context)
    )
})

const configPrint = command({
  name: "config print",
  summary: "Print every setting of a server with its value and origin",
  description: ["The output is a configuration file. It omits secrets."],
  examples: [
    { words: "config print", doc: "Print the configuration that serve would use" },
    { words: "config print --port 9000 > rollup.toml", doc: "Create a configuration file" }
  ],
  options: settings.serverSettings,
  rules: checkServer,
  writesData: true,
  run: (resolved, context) =>
    Effect.flatMap(
      Effect.promise(() => import("./show_config.ts")),
      ({ printConfig }) => printConfig(resolved, context)
    )
})

const wallet = command({
  name: "wallet",
  summary: "Show the funded demo wallet of the simulated network, or send tokens from it",
  description: ["Its keys are public. The simulator itself never uses them."],
  examples: [
    { words: "wallet", doc: "Show keys and accounts" },
    {
      words: "wallet --send 0.25 --to zk:ETH:256",
      doc: "Send a transfer to the server on port 8080"
    }
  ],
  options: {
    send: options.send,
    to: options.to,
    token: options.token,
    nonce: options.nonce,
    url: options.url,
    seed: settings.network.seed,
    prefix: settings.network.prefix
  },
  run: (resolved) =>
    Effect.flatMap(Effect.promise(() => import("./wallet.ts")), ({ wallet }) => wallet(resolved))
})

const completions = command({
  name: "completions",
  summary: "Print a shell completion script",
  examples: [
    {
      words: "completions bash > ~/.local/share/bash-completion/completions/rollup-node",
      doc: "For bash"
    },
    { words: "completions zsh > ~/.zfunc/_rollup-node", doc: "For zsh, if ~/.zfunc is in fpath" },
    { words: "completions fish > ~/.config/fish/completions/rollup-node.fish", doc: "For fish" }
  ],
  argument: flagOnly({ flag: "shell", value: choice(["bash", "zsh", "fish"]), doc: "Shell" }),
  options: {},
  writesData: true,
  run: ({ argument }) =>
    Effect.flatMap(
      Effect.promise(() => import("./completions.ts")),
      ({ printCompletions }) => printCompletions(argument, commands)
    )
})

/** All commands, in the order of the help. */
export const commands: ReadonlyArray<Command> = [
  serve,
  migrate,
  simulate,
  ingest,
  exportFeed,
  verify,
  openapi,
  configCheck,
  configPrint,
  wallet,
  completions
]
