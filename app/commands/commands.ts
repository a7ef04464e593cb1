import { Effect } from "effect"
import { choice, type Command, command, flagOnly, settings, text } from "../config/mod.ts"
import { isSupervisor } from "../workers/mod.ts"
import * as options from "./options.ts"
import { checkDatabase, checkServer, checkVerified } from "./rules.ts"

/*
 * What the program can do. Each command loads its code when it runs: whoever starts a server does not wait for the others. Another one, such
 * as an audit of a store, is one more entry of the list at the end.
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
  summary: "Serve the interface over a simulated network that lives, or over a feed",
  description: [
    "Data are kept in the directory .rollup-node of the working directory unless a database is named, or nothing is to be kept. What is there",
    "is gone on from. A first signal (SIGTERM or SIGINT) lets the answers that have begun end, a second one ends the program at once."
  ],
  examples: [
    {
      words: "serve",
      doc: "A network that lives, at http://127.0.0.1:8080, documentation at /docs"
    },
    {
      words: "serve --memory --empty --port 0",
      doc: "Keep nothing, begin with nothing, take any free port"
    },
    {
      words: "serve --feed network.ndjson --database postgresql://user:password@localhost/rollup",
      doc: "Follow a feed into a database"
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
    "serve and ingest do so by themselves; however many start together, it is done once."
  ],
  examples: [
    {
      words: "migrate --dry-run",
      doc: "Tell what would be applied to the database that DATABASE_URL names"
    },
    { words: "migrate --database postgresql://user:password@localhost/rollup", doc: "Apply it" }
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
  description: ["The same seed gives the same bytes. serve --feed and ingest read them."],
  examples: [
    {
      words: "simulate --seed 7 --transactions 10000 --out network.ndjson",
      doc: "Ten thousand transactions, and every block, batch and bid around them"
    },
    {
      words: "simulate --no-true-roots > network.ndjson",
      doc: "Faster, with state roots that are made up"
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
  description: ["It tells how far it is, and goes on where it ended when it is started again."],
  examples: [
    {
      words: "ingest network.ndjson --database postgresql://user:password@localhost/rollup",
      doc: "Load a file"
    },
    {
      words: "ingest - < network.ndjson",
      doc: "Load what arrives, into the database that DATABASE_URL names"
    }
  ],
  argument: flagOnly({
    flag: "feed",
    value: feedFile,
    doc: "Feed, as export and simulate write it"
  }),
  options: { ...settings.database, ...settings.connections, ...settings.log },
  rules: checkDatabase,
  run: (resolved) =>
    Effect.flatMap(Effect.promise(() => import("./ingest.ts")), ({ ingest }) => ingest(resolved))
})

const exportFeed = command({
  name: "export",
  summary: "Write the ledger of a data directory as NDJSON, for another store to take over",
  examples: [{
    words: "export --data .rollup-node --out network.ndjson",
    doc: "Everything that the ledger was told, rollbacks included"
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
  summary: "Verify everything that a store keeps, or a feed, and tell exactly what is wrong where",
  description: [
    "Every batch is computed anew from the state before it, every list, counter and proof is compared with what it was made from. It changes nothing.",
    "A database may be in service meanwhile: what it held at the start is read, nothing is locked, and old versions of rows are kept until the end.",
    "A data directory must be free. The last result is shown at the admin listener, at /verification."
  ],
  examples: [
    {
      words: "verify --database postgresql://user:password@localhost/rollup",
      doc: "Verify a database, also one in service"
    },
    {
      words: "verify --data .rollup-node --state-root",
      doc: "Verify a data directory, with the state root of the last batch"
    },
    {
      words: "verify --feed network.ndjson --json",
      doc: "Verify a feed, and give the result as JSON"
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
    "It is what a server gives at /openapi.json, as a network with this prefix spells it."
  ],
  examples: [
    { words: "openapi > openapi.json", doc: "The revision later" },
    { words: "openapi earlier --out earlier.json", doc: "The other one" }
  ],
  argument: flagOnly({
    flag: "revision",
    value: revision,
    default: "later",
    doc: "Which revision"
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
  summary: "Tell everything that is wrong with the configuration of a server, and start nothing",
  examples: [{
    words: "config check --config rollup.toml",
    doc: "Ends with 0 where serve would start, with 2 where it would not"
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
  summary: "Print every setting of a server, its value, and who said it",
  description: ["What is printed is a configuration file. Secrets are left out."],
  examples: [
    { words: "config print", doc: "What serve would do here" },
    { words: "config print --port 9000 > rollup.toml", doc: "Begin a file" }
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
  summary: "Show the funded demo wallet of the simulated network, or send with it",
  description: ["Everybody knows its keys, and the simulator itself never uses them."],
  examples: [
    { words: "wallet", doc: "Keys and accounts" },
    {
      words: "wallet --send 0.25 --to zk:ETH:256",
      doc: "Post a transfer to the server on port 8080"
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
  summary: "Print a script that completes commands and flags in a shell",
  examples: [
    {
      words: "completions bash > ~/.local/share/bash-completion/completions/rollup-node",
      doc: "For bash"
    },
    { words: "completions zsh > ~/.zfunc/_rollup-node", doc: "For zsh, if ~/.zfunc is in fpath" },
    { words: "completions fish > ~/.config/fish/completions/rollup-node.fish", doc: "For fish" }
  ],
  argument: flagOnly({ flag: "shell", value: choice(["bash", "zsh", "fish"]), doc: "Which shell" }),
  options: {},
  writesData: true,
  run: ({ argument }) =>
    Effect.flatMap(
      Effect.promise(() => import("./completions.ts")),
      ({ printCompletions }) => printCompletions(argument, commands)
    )
})

/** In the order of the help. */
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
