import { flagOnly, text, integer, yesNo } from "./config/mod.ts"

/* Options of one run, which no variable and no file says. */

const anyText = { placeholder: "text", rule: "a text that is not empty", pattern: /\S/u } as const
const fileName = { placeholder: "path", rule: "a path that is not empty", pattern: /\S/u } as const

export const out = flagOnly({ flag: "out", value: text(fileName), doc: "File to write to; the standard output where it is not said" })

export const trueRoots = flagOnly({ flag: "true-roots", value: yesNo, default: true, doc: "Compute every state root from the accounts, some milliseconds a transaction, instead of putting a stand-in" })

export const dryRun = flagOnly({ flag: "dry-run", value: yesNo, default: false, doc: "Only tell what would be applied" })

export const url = flagOnly({
  flag: "url", value: text({ placeholder: "url", rule: "the address of a server, such as http://127.0.0.1:8080", pattern: /^https?:\/\/\S+$/u }),
  default: "http://127.0.0.1:8080", doc: "The running server"
})

export const send = flagOnly({
  flag: "send", value: text({ placeholder: "amount", rule: "an amount of whole tokens, such as 0.25", pattern: /^\d+(\.\d+)?$/u }),
  doc: "Send so many whole tokens; without it the wallet is only shown"
})

export const to = flagOnly({ flag: "to", value: text(anyText), doc: "Receiver: an account index, an address, a public key, or exit; some account of the token where it is not said" })

export const token = flagOnly({ flag: "token", value: text(anyText), default: "ETH", doc: "Symbol of the token to send" })

export const nonce = flagOnly({
  flag: "nonce", value: integer({ minimum: 0 }), doc: "Nonce, for one transaction after another one that still waits; that of the account where it is not said"
})
