import { group, setting } from "../setting.ts"
import { filePath, integer, nonEmptyText, number, text, yesNo } from "../value.ts"

export const network = group("Network", {
  seed: setting({
    key: "network.seed",
    flag: "seed",
    value: text(nonEmptyText),
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

export const pace = group("Network", {
  transactionsMax: setting({
    key: "network.transactions_max",
    flag: "transactions-max",
    value: integer({ minimum: 1 }),
    default: 100_000,
    doc:
      "Transactions after which the simulated network ends and adds no more blocks; each takes about 6 kB of memory"
  }),
  paceSeconds: setting({
    key: "network.pace_seconds",
    flag: "pace",
    value: number({ minimum: 0, maximum: 86_400 }),
    default: 3,
    doc: "Seconds between two blocks of the simulated network; 0 adds no blocks"
  }),
  checkStateRoots: setting({
    key: "network.check_state_roots",
    flag: "check-state-roots",
    value: yesNo,
    default: false,
    doc:
      "Compute the state root of every batch, and refuse a block if it differs; about 4 ms of one core per transaction, and 1 ms per account at the start"
  }),
  simulate: setting({
    key: "network.simulate",
    flag: "simulate",
    value: yesNo,
    doc:
      "Serve a simulated network. The default without a database, a feed and a genesis; with a database it has to be set, so that no test data get into it by mistake"
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
    value: text(filePath),
    doc: "Follow a feed in NDJSON instead of a simulated network; - reads standard input"
  }),
  genesis: setting({
    key: "network.genesis",
    flag: "genesis",
    value: text(filePath),
    doc:
      "Start an empty ledger of your own network with the genesis record in a file; blocks come through the admin listener"
  })
})
