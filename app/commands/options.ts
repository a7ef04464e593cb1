import {
  filePath,
  flagOnly,
  webUrl,
  integer,
  nonEmptyText,
  number,
  text,
  yesNo
} from "../config/mod.ts"

/* Options that only the command line sets: environment variables and files cannot. */

export const out = flagOnly({
  flag: "out",
  value: filePath,
  doc: "File to write to; standard output if not set"
})

export const trueRoots = flagOnly({
  flag: "true-roots",
  value: yesNo,
  default: true,
  doc:
    "Compute every state root from the accounts, a few milliseconds per transaction, instead of writing placeholders"
})

export const dryRun = flagOnly({
  flag: "dry-run",
  value: yesNo,
  default: false,
  doc: "List the pending migrations without applying them"
})

/** The options of `verify`. */
export const verify = {
  feed: flagOnly({
    flag: "feed",
    value: filePath,
    doc: "Verify a feed in NDJSON instead of a store; - reads standard input"
  }),
  json: flagOnly({
    flag: "json",
    value: yesNo,
    default: false,
    doc: "Print the result as JSON"
  }),
  exitSample: flagOnly({
    flag: "exit-sample",
    value: number({ minimum: 0, maximum: 1 }),
    default: 1,
    doc:
      "Share of the batches whose exit proofs are verified, about two milliseconds of one core for each exit"
  }),
  stateRoot: flagOnly({
    flag: "state-root",
    value: yesNo,
    default: false,
    doc:
      "Compute the state root from all accounts, about one millisecond each, and compare it with the last batch"
  }),
  violationsMax: flagOnly({
    flag: "violations-max",
    value: integer({ minimum: 1 }),
    default: 100,
    doc: "Violations to print per check; all are counted"
  })
}

/** The options of `wallet`. */
export const wallet = {
  send: flagOnly({
    flag: "send",
    value: text({
      placeholder: "amount",
      rule: "an amount of whole tokens, such as 0.25",
      pattern: /^\d+(\.\d+)?$/u
    }),
    doc: "Amount to send, in whole tokens; if not set, the command shows the wallet"
  }),
  to: flagOnly({
    flag: "to",
    value: nonEmptyText,
    doc:
      "Receiver: an account index, an address, a public key, or exit; any account of the token if not set"
  }),
  token: flagOnly({
    flag: "token",
    value: nonEmptyText,
    default: "ETH",
    doc: "Symbol of the token to send"
  }),
  nonce: flagOnly({
    flag: "nonce",
    value: integer({ minimum: 0 }),
    doc: "Nonce, needed if an earlier transaction is still pending; the account's nonce if not set"
  }),
  export: flagOnly({
    flag: "export",
    value: yesNo,
    default: false,
    doc: "Print only the Ethereum private key, from which wallets derive the other keys"
  }),
  url: flagOnly({
    flag: "url",
    value: webUrl({
      rule: "the URL of a server without user and password, such as http://127.0.0.1:8080",
      pattern: /^[^\s@]+$/u
    }),
    default: "http://127.0.0.1:8080",
    doc: "URL of a running server"
  })
}
