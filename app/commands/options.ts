import { flagOnly, integer, number, text, yesNo } from "../config/mod.ts"

/* Options of one run, which no variable and no file says. */

const anyText = { placeholder: "text", rule: "a text that is not empty", pattern: /\S/u } as const
const fileName = {
  placeholder: "path",
  rule: "a path that is not empty",
  pattern: /\S/u,
  completions: "file"
} as const

export const out = flagOnly({
  flag: "out",
  value: text(fileName),
  doc: "File to write to; the standard output where it is not said"
})

export const trueRoots = flagOnly({
  flag: "true-roots",
  value: yesNo,
  default: true,
  doc:
    "Compute every state root from the accounts, some milliseconds a transaction, instead of putting a stand-in"
})

export const dryRun = flagOnly({
  flag: "dry-run",
  value: yesNo,
  default: false,
  doc: "Only tell what would be applied"
})

export const feedToVerify = flagOnly({
  flag: "feed",
  value: text(fileName),
  doc: "Verify a feed in NDJSON instead of a store; - is the standard input"
})

export const json = flagOnly({
  flag: "json",
  value: yesNo,
  default: false,
  doc: "Give the result as JSON"
})

export const stateRoot = flagOnly({
  flag: "state-root",
  value: yesNo,
  default: false,
  doc:
    "Compute the state root from all accounts, at about a millisecond for each, and compare it with that of the last batch"
})

export const exitSample = flagOnly({
  flag: "exit-sample",
  value: number({ minimum: 0, maximum: 1 }),
  default: 1,
  doc: "Share of the proofs of exits that is verified, each about two milliseconds of a core"
})

export const violationsMax = flagOnly({
  flag: "violations-max",
  value: integer({ minimum: 1 }),
  default: 100,
  doc: "Violations of each check that are told; all are counted"
})

export const url = flagOnly({
  flag: "url",
  value: text({
    placeholder: "url",
    rule: "the address of a server, such as http://127.0.0.1:8080",
    pattern: /^https?:\/\/\S+$/u
  }),
  default: "http://127.0.0.1:8080",
  doc: "The running server"
})

export const send = flagOnly({
  flag: "send",
  value: text({
    placeholder: "amount",
    rule: "an amount of whole tokens, such as 0.25",
    pattern: /^\d+(\.\d+)?$/u
  }),
  doc: "Send so many whole tokens; without it the wallet is only shown"
})

export const to = flagOnly({
  flag: "to",
  value: text(anyText),
  doc:
    "Receiver: an account index, an address, a public key, or exit; some account of the token where it is not said"
})

export const token = flagOnly({
  flag: "token",
  value: text(anyText),
  default: "ETH",
  doc: "Symbol of the token to send"
})

export const nonce = flagOnly({
  flag: "nonce",
  value: integer({ minimum: 0 }),
  doc:
    "Nonce, for one transaction after another one that still waits; that of the account where it is not said"
})
