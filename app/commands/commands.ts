import { revisionList, type RevisionName } from "../../core/mod.ts"
import { choice, type Command, command, flagOnly, settings } from "../config/mod.ts"
import * as options from "./options.ts"
import { checkServer } from "./rules.ts"
import { exportFeed, ingest, migrate, simulate, verify } from "./store_commands.ts"

/* Declares the commands of the program. To add a command, declare it and add it to `commands`. */

const revision = choice(revisionList.map(({ name }) => name as RevisionName))

const serve = command({
  name: "serve",
  group: "Run a server",
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
      words: "serve --genesis genesis.json",
      doc: "Start an empty ledger of your own network; blocks come through the admin listener"
    },
    {
      words: "serve --config rollup.toml",
      doc: "Read settings from a file; `config print` writes one"
    }
  ],
  options: settings.serverSettings,
  rules: checkServer,
  isService: true,
  load: async () => (await import("./serve.ts")).serve
})

const openapi = command({
  name: "openapi",
  group: "Use a server",
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
    ...settings.revisionPaths,
    out: options.out
  },
  writesData: true,
  load: async () => (await import("./print_documents.ts")).printOpenApi
})

const schema = command({
  name: "schema",
  group: "Use a server",
  summary: "Print the JSON Schema of the feed, or the OpenAPI document of the admin listener",
  description: [
    "For synchronisers and coordinators in any language. The admin listener serves both, at",
    "/schemas/feed.json and /openapi.json."
  ],
  examples: [
    { words: "schema feed > feed.schema.json", doc: "Print the schema of one line of a feed" },
    { words: "schema admin --out admin.json", doc: "Write the document of the admin listener" }
  ],
  argument: flagOnly({
    flag: "subject",
    value: choice(["feed", "admin"]),
    default: "feed",
    doc: "What to print"
  }),
  options: { out: options.out },
  writesData: true,
  load: async () => (await import("./print_documents.ts")).printSchema
})

const configCheck = command({
  name: "config check",
  group: "Run a server",
  summary: "Check the configuration of a server and report all problems, without starting it",
  examples: [{
    words: "config check --config rollup.toml",
    doc: "Exits with 0 if the configuration is valid, with 2 if not"
  }],
  options: settings.serverSettings,
  rules: checkServer,
  load: async () => (await import("./show_config.ts")).reportValidConfig
})

const configPrint = command({
  name: "config print",
  group: "Run a server",
  summary: "Print every setting of a server with its value and origin",
  description: ["The output is a configuration file. It omits secrets."],
  examples: [
    { words: "config print", doc: "Print the configuration that serve would use" },
    { words: "config print --port 9000 > rollup.toml", doc: "Create a configuration file" }
  ],
  options: settings.serverSettings,
  rules: checkServer,
  writesData: true,
  load: async () => (await import("./show_config.ts")).printConfig
})

const wallet = command({
  name: "wallet",
  group: "Use a server",
  summary: "Show the funded demo wallet of the simulated network, or send tokens from it",
  description: ["Its keys are public. The simulator itself never uses them."],
  examples: [
    { words: "wallet", doc: "Show keys and accounts" },
    {
      words: "wallet --send 0.25 --to zk:ETH:256",
      doc: "Send a transfer to the server on port 8080"
    },
    { words: "wallet --export", doc: "Print the Ethereum key, to import it into another wallet" }
  ],
  options: {
    ...options.wallet,
    seed: settings.network.seed,
    prefix: settings.network.prefix,
    networkName: settings.network.networkName
  },
  load: async () => (await import("./wallet.ts")).wallet
})

const completions = command({
  name: "completions",
  group: "Use a server",
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
  load: async () => {
    const { printCompletions } = await import("./completions.ts")
    return ({ argument }) => printCompletions(argument, commands)
  }
})

/** All commands, in the order of the help. */
export const commands: ReadonlyArray<Command> = [
  serve,
  configCheck,
  configPrint,
  migrate,
  simulate,
  ingest,
  exportFeed,
  verify,
  openapi,
  schema,
  wallet,
  completions
]
