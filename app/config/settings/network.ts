import { group, setting } from "../setting.ts"
import { ethereumAddress, filePath, integer, nonEmptyText, number, text, yesNo } from "../value.ts"

const contract = (name: string, contract: string) =>
  setting({
    key: `network.${name}`,
    value: ethereumAddress,
    doc: `Address of the ${contract} of the simulated network; derived from the seed if not set`
  })

export const network = group("Network", {
  seed: setting({
    key: "network.seed",
    value: nonEmptyText,
    default: "1",
    doc: "Seed of the simulated network; the same seed generates the same network"
  }),
  transactions: setting({
    key: "network.transactions",
    value: integer({ minimum: 0 }),
    default: 3000,
    doc:
      "Transactions of the history of the simulated network; the server applies it after it has begun to serve"
  }),
  prefix: setting({
    key: "network.prefix",
    default: "zk",
    value: text({
      placeholder: "text",
      rule: "up to 16 lower-case letters and digits, a letter first",
      pattern: /^[a-z][a-z0-9]{0,15}$/u
    }),
    doc: "Prefix of identifiers and of field names that contain it"
  }),
  networkName: setting({
    key: "network.name",
    flag: "network-name",
    value: nonEmptyText,
    default: "Rollup Network",
    doc:
      "Name of the simulated network; wallets sign it to derive their keys, and in authorizations"
  })
})

/** The identity of the simulated network on its Ethereum chain. */
export const chain = group("Network", {
  chainId: setting({
    key: "network.chain_id",
    value: integer({ minimum: 0, maximum: 65_535 }),
    default: 1337,
    doc: "Identifier of the Ethereum chain of the simulated network; every signature contains it"
  }),
  rollupAddress: setting({
    key: "network.rollup_address",
    value: ethereumAddress,
    default: "0x10465b16615ae36f350268eb951d7b0187141d3b",
    doc: "Address of the rollup contract of the simulated network; authorizations contain it"
  }),
  auctionAddress: contract("auction_address", "auction contract"),
  withdrawalDelayerAddress: contract("withdrawal_delayer_address", "withdrawal delayer contract"),
  governanceToken: contract("governance_token", "governance token")
})

export const pace = group("Network", {
  transactionsMax: setting({
    key: "network.transactions_max",
    value: integer({ minimum: 1 }),
    default: 100_000,
    doc:
      "Transactions after which the simulated network ends and adds no more blocks; each takes 2 to 3 kB of memory, 0.9 to 1.3 kB after a start from a directory, and there 200 to 420 bytes of disk"
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
    value: yesNo,
    default: false,
    doc:
      "Compute the state root of every batch, and refuse a block if it differs; about 4 ms of one core per transaction, and 1 ms per account at the start"
  }),
  simulate: setting({
    key: "network.simulate",
    value: yesNo,
    doc:
      "Serve a simulated network. The default without a database, a feed and a genesis; with a database it has to be set, so that no test data get into it by mistake"
  }),
  empty: setting({
    key: "network.empty",
    value: yesNo,
    default: false,
    doc: "Start with the genesis only and add no blocks"
  }),
  feed: setting({
    key: "network.feed",
    value: filePath,
    doc: "Follow a feed in NDJSON instead of a simulated network; - reads standard input"
  }),
  genesis: setting({
    key: "network.genesis",
    value: filePath,
    doc:
      "Start an empty ledger of your own network with the genesis record in a file; blocks come through the admin listener"
  })
})
