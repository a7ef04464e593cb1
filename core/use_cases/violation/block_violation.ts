import { Schema, Struct } from "effect"

const resync = "roll back to the last common block and send the blocks after it"
const inOrder =
  "send the blocks in order, and name the last block in previous if you leave out empty ones"
const asOnChain = "send the values that the contracts emitted"
const recompute =
  "process the batch from the state of the ledger, or roll back to the last batch with equal states"

/** The invariants of a write, by name: a noun for the offending value, and advice for the caller. */
const invariants = {
  "shape": { subject: "Value", remedy: "send the record as the feed defines it" },
  "block-number": { subject: "Block number", remedy: inOrder },
  "block-gap": {
    subject: "Block number",
    remedy: "if the block is not empty, roll back to the block before the gap and send it"
  },
  "previous-block": { subject: "Previous block", remedy: resync },
  "block-hash": { subject: "Block hash", remedy: resync },
  "parent-hash": { subject: "Parent hash", remedy: resync },
  "timestamp": { subject: "Timestamp", remedy: "send the timestamp of the block" },
  "slot-number": { subject: "Slot of the block", remedy: asOnChain },
  "last-ethereum-block": {
    subject: "Last Ethereum block",
    remedy: "send the newest known block, or leave it out"
  },
  "head-number": {
    subject: "Head",
    remedy: "roll back to a block that is not above it, or send a newer head"
  },
  "chain-head": { subject: "Head of the chain", remedy: "send the newest known block" },
  "block-above-head": {
    subject: "Block number",
    remedy: "roll back to the last block of the ledger, or send a lower head, and then the block"
  },
  "token-id": { subject: "Token id", remedy: "send the tokens in the order of their registration" },
  "token-address": { subject: "Token address", remedy: "send each token once" },
  "token-exists": {
    subject: "Token id",
    remedy: "send the registration of the token before records that refer to it"
  },
  "bidder-registered": {
    subject: "Bidder address",
    remedy: "send the registration of the coordinator before its bids"
  },
  "bid-value": {
    subject: "Bid value",
    remedy: "send the bids of a slot in the order in which they were made"
  },
  "queue-number": { subject: "Queue", remedy: asOnChain },
  "queue-position": {
    subject: "Position in the queue",
    remedy: "send the transactions of a queue without gaps and in order"
  },
  "queue-size": { subject: "Number of transactions", remedy: asOnChain },
  "account-index": { subject: "Account index", remedy: asOnChain },
  "public-key": { subject: "Public key", remedy: asOnChain },
  "amount": { subject: "Amount", remedy: asOnChain },
  "deposit-amount": { subject: "Deposit amount", remedy: asOnChain },
  "batch-number": { subject: "Batch number", remedy: "send the batches in order and without gaps" },
  "batch-size": { subject: "Number of transactions", remedy: asOnChain },
  "l1-size": { subject: "Number of L1 transactions", remedy: asOnChain },
  "field-element": {
    subject: "Field element",
    remedy: "send the value reduced to the scalar field"
  },
  "forged-queue": { subject: "Forged queue", remedy: "send the queues in order and without gaps" },
  "queue-frozen": {
    subject: "Forged queue",
    remedy: "send the transactions of a queue in a block before the batch that forges them"
  },
  "effect-count": {
    subject: "Number of effects",
    remedy: "send one effect for each transaction of the forged queue"
  },
  "effective-amount": { subject: "Effective amount", remedy: recompute },
  "effective-deposit": { subject: "Effective deposit", remedy: recompute },
  "signature": { subject: "Signature", remedy: asOnChain },
  "account-exists": { subject: "Account index", remedy: recompute },
  "account-token": { subject: "Account index", remedy: recompute },
  "nonce": { subject: "Nonce", remedy: recompute },
  "balance": { subject: "Amount", remedy: recompute },
  "balance-limit": { subject: "Balance", remedy: recompute },
  "fee": { subject: "Fee selector", remedy: recompute },
  "fee-account-count": { subject: "Number of fee accounts", remedy: asOnChain },
  "state-root": { subject: "State root", remedy: recompute },
  "exit-root": { subject: "Exit root", remedy: recompute },
  "exit-account": { subject: "Exit account", remedy: recompute },
  "exit-balance": { subject: "Exit balance", remedy: recompute },
  "exit-proof": {
    subject: "Exit proof",
    remedy: "send the proof of inclusion in the exit tree of this batch"
  },
  "exit-exists": { subject: "Exit", remedy: "send the batch of the exit before its withdrawal" },
  "exit-open": { subject: "Exit", remedy: "send each withdrawal once" },
  "withdrawal-requested": {
    subject: "Delayed withdrawal",
    remedy: "send the request before the collection, or name its place in afterWithdrawals"
  },
  "bucket-exists": {
    subject: "Bucket",
    remedy: "send the rollup variables with all buckets before their updates"
  },
  "roll-back-block": {
    subject: "Block to roll back to",
    remedy: "name the last block that stays, the genesis block or a later one"
  },
  "genesis": { subject: "Genesis", remedy: "use a separate ledger for each network" }
} as const satisfies Record<string, { readonly subject: string; readonly remedy: string }>

/** The name of an invariant. */
export type Invariant = keyof typeof invariants

/** The names of all invariants of a write. */
export const invariantNames: ReadonlyArray<Invariant> = Struct.keys(invariants)

/**
 * A write contradicts the ledger or itself, and nothing was stored. A retry cannot help; `message`
 * contains advice.
 *
 * It reports only the first violation: the state after an invalid part does not exist, so the parts
 * after it cannot be checked.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { block: { hash, number } } } = simulate({ seed: 1 })
 * const block = { number: number + 2n, hash, parentHash: hash, timestampMs: 0 }
 * const apply = Effect.flatMap(Ledger, (ledger) => Effect.asVoid(ledger.applyBlock(block)))
 * const program = Effect.catchTag(apply, "BlockViolation", ({ invariant, pointer }) =>
 *   Effect.sync(() => console.log(invariant, pointer))) // => block-number /number
 * const node = Layer.provide(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * await Effect.runPromise(Effect.provide(program, node))
 * ```
 */
export class BlockViolation extends Schema.TaggedError<BlockViolation>()("BlockViolation", {
  invariant: Schema.Literals(invariantNames),
  /** The offending value as text. */
  value: Schema.String,
  expected: Schema.String,
  /** JSON pointer into the input: `/batches/0/l2/3/nonce`. */
  pointer: Schema.String,
  /** All fields and the block in one sentence for logs. */
  message: Schema.String
}) {}

/** Returns the violation of an invariant by a value. `pointer` is its position in the input. */
export const makeViolation = (
  invariant: Invariant,
  value: string | number | bigint | boolean | null,
  expected: string,
  pointer: string
): BlockViolation => {
  const { subject, remedy } = invariants[invariant]
  // an empty pointer names the whole input
  const place = pointer === "" ? "" : ` at ${pointer}`
  return new BlockViolation({
    invariant,
    value: String(value),
    expected,
    pointer,
    message:
      `${subject} "${value}"${place}: expected ${expected}; ${remedy} (invariant ${invariant})`
  })
}

/** Returns a function that returns the violation of an invariant by a member of an object. */
export const violationsIn =
  <Input extends object>(input: Input, pointer: string) =>
  (invariant: Invariant, member: keyof Input & string, expected: string): BlockViolation =>
    makeViolation(invariant, String(input[member] ?? null), expected, `${pointer}/${member}`)

/** Returns the violation with the number of its block in the message. */
export function violationOfBlock(
  number: unknown,
  { _tag, message, ...fields }: BlockViolation
): BlockViolation {
  const block = typeof number === "bigint" ? `Block ${number}` : "Block without number"
  return new BlockViolation({
    ...fields,
    message: `${block}: ${message.slice(0, 1).toLowerCase()}${message.slice(1)}`
  })
}

/** Returns the violation with `prefix` before its pointer. */
export const violationWithin = (
  { invariant, value, expected, pointer }: BlockViolation,
  prefix: string
): BlockViolation => makeViolation(invariant, value, expected, prefix + pointer)
