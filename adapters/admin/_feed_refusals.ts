import type { BlockViolation, EthereumBlock } from "../../core/mod.ts"
import { type Refusal, retryLater } from "./_reply.ts"

/* The refusals of a posted feed. */

export const otherWriter: Refusal = {
  name: "unavailable",
  message:
    "Another process writes the ledger, or a write of this one takes long: send the feed to the process that writes, or try again later",
  headers: retryLater
}

export const otherLastBlock = (
  after: string,
  { hash, number }: EthereumBlock,
  ledger: object
): Refusal => ({
  name: "ledger-elsewhere",
  message: `Feed-After names block ${
    JSON.stringify(after.slice(0, 100))
  }, expected ${hash}, the last block ${number}: nothing was applied; send the records after that block`,
  members: { ledger }
})

export const missingPrecondition = (
  line: number,
  { hash, number }: EthereumBlock
): Refusal => ({
  name: "precondition-required",
  message:
    `Line ${line} is a rollback, which may have been applied before: send it with the header "Feed-After: ${hash}", the last block of the ledger when this request arrived (${number}), if that is the block to roll back from`,
  members: { line }
})

/** Returns the refusal for a violation, with its position in the record as a JSON pointer. */
export const blockViolation = (
  line: number,
  kind: string,
  { expected, invariant, message, pointer, value }: BlockViolation
): Refusal => ({
  name: "block-violation",
  message: `Line ${line}: ${message}`,
  faults: [{
    in: "body",
    line,
    parameter: kind === "block" || kind === "genesis" ? `/${kind}${pointer}` : pointer,
    value,
    rule: expected,
    message,
    invariant
  }],
  members: { line }
})
