import { Config } from "effect"
import { Flag } from "effect/cli"

/* The options of the commands, as the command line knows them. */

export const port = Flag.Int("port").pipe(
  Flag.filter((port) => port >= 0 && port <= 65535, (port) => `Port ${port} is none: expected 0 to 65535`),
  Flag.withFallbackConfig(Config.Port("PORT")),
  Flag.withDefault(8080),
  Flag.withDescription("Port to listen on; 0 takes a free one (also PORT)")
)

export const host = Flag.String("host").pipe(
  Flag.withFallbackConfig(Config.String("HOST")),
  Flag.withDefault("127.0.0.1"),
  Flag.withDescription("Address to listen on; 0.0.0.0 is every one (also HOST)")
)

export const seedDefault = "1"

export const seed = Flag.String("seed").pipe(
  Flag.withDefault(seedDefault),
  Flag.withDescription("Seed of the simulated network: the same seed gives the same network")
)

export const transactionsDefault = 3000

export const transactions = Flag.Int("transactions").pipe(
  Flag.filter((count) => count >= 0, (count) => `${count} transactions are too few: expected 0 or more`),
  Flag.withDefault(transactionsDefault),
  Flag.withDescription("Transactions that the simulated network has from the start")
)

export const paceDefault = 3

export const pace = Flag.Finite("pace").pipe(
  Flag.filter((seconds) => seconds >= 0, (seconds) => `A pace of ${seconds} is none: expected seconds, or 0 to stand still`),
  Flag.withDefault(paceDefault),
  Flag.withDescription("Seconds between two blocks of the simulated network; 0 stands still")
)

export const prefixDefault = "zk"

export const prefix = Flag.String("prefix").pipe(
  Flag.filter((prefix) => /^[a-z][a-z0-9]{0,15}$/u.test(prefix), (prefix) => `"${prefix}" is no prefix: expected up to 16 lower-case letters and digits, a letter first`),
  Flag.withDefault(prefixDefault),
  Flag.withDescription("Prefix of identifiers and of the names that contain it")
)

export const empty = Flag.Boolean("empty").pipe(Flag.withDefault(false), Flag.withDescription("Start with the genesis alone and stand still"))

export const feed = Flag.String("feed").pipe(
  Flag.optional,
  Flag.withDescription("Follow a feed in NDJSON instead of simulating; - is the standard input")
)

/** Where data are kept unless somebody says otherwise, in the working directory. */
export const dataDefault = ".rollup-node"

export const data = Flag.String("data").pipe(
  Flag.filter((directory) => directory.trim() !== "", () => "A directory without a name is none: expected one like .rollup-node"),
  Flag.withFallbackConfig(Config.String("DATA_DIR")),
  Flag.optional,
  Flag.withDescription(`Directory that keeps the data, ${dataDefault} by default; created where it is missing (also DATA_DIR)`)
)

export const database = Flag.Redacted("database").pipe(
  Flag.withFallbackConfig(Config.Redacted("DATABASE_URL")),
  Flag.optional,
  Flag.withDescription("PostgreSQL database that keeps the data, instead of a directory: postgresql://user:password@host:5432/name (also DATABASE_URL)")
)

export const replica = Flag.Redacted("replica").pipe(
  Flag.withFallbackConfig(Config.Redacted("DATABASE_REPLICA_URL")),
  Flag.optional,
  Flag.withDescription("A copy of the database to read the ledger from; it may lag behind (also DATABASE_REPLICA_URL)")
)

export const memory = Flag.Boolean("memory").pipe(Flag.withDefault(false), Flag.withDescription("Keep nothing: all data are in memory and end with the program"))

export const out = Flag.String("out").pipe(Flag.optional, Flag.withDescription("File to write to; the standard output where absent"))

export const url = Flag.String("url").pipe(
  Flag.filter((url) => /^https?:\/\//u.test(url), (url) => `"${url}" is no address of a server: expected one like http://127.0.0.1:8080`),
  Flag.withDefault("http://127.0.0.1:8080"),
  Flag.withDescription("The running server")
)

export const send = Flag.String("send").pipe(
  Flag.filter((amount) => /^\d+(\.\d+)?$/u.test(amount), (amount) => `"${amount}" is no amount: expected whole tokens such as 0.25`),
  Flag.optional,
  Flag.withDescription("Send so many whole tokens, for instance 0.25; without it the wallet is only shown")
)

export const to = Flag.String("to").pipe(
  Flag.optional,
  Flag.withDescription("Receiver: an account index, an address, a public key, or exit; some account of the token by default")
)

export const token = Flag.String("token").pipe(Flag.withDefault("ETH"), Flag.withDescription("Symbol of the token to send"))

export const nonce = Flag.Int("nonce").pipe(
  Flag.optional,
  Flag.withDescription("Nonce, for one transaction after another one that still waits; that of the account by default")
)

export const trueRoots = Flag.Boolean("true-roots").pipe(
  Flag.withDefault(true),
  Flag.withDescription("Compute every state root from the accounts, some milliseconds a transaction; --no-true-roots puts stand-ins")
)
