/** Two parts of an error message: a noun for the offending value, and advice for the caller. */
interface Wording {
  readonly subject: string
  readonly remedy: string
}

const resync = "roll back to the last block that both sides share and send the blocks from there"
const inOrder = "send the blocks of the chain one by one and in order"
const asOnChain = "send what the contracts emitted"
const recompute =
  "process the batch from the same state as the ledger, or roll back to where the two agree"

/** The invariants of a write (domain §3.6, §7.2), by name. */
export const invariants = {
  "shape": { subject: "Value", remedy: "send the record as the feed defines it" },
  "block-number": { subject: "Block number", remedy: inOrder },
  "block-hash": { subject: "Block hash", remedy: resync },
  "parent-hash": { subject: "Parent hash", remedy: resync },
  "timestamp": { subject: "Timestamp", remedy: "send the time that the block itself carries" },
  "slot-number": { subject: "Slot of the block", remedy: asOnChain },
  "last-ethereum-block": {
    subject: "Last Ethereum block",
    remedy: "send the newest block that the node knows, or leave it out"
  },
  "token-id": { subject: "Token id", remedy: "send the tokens in the order of their registration" },
  "token-address": { subject: "Token address", remedy: "send each token once" },
  "token-exists": {
    subject: "Token id",
    remedy: "send the registration of the token before anything that refers to it"
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
  "fee-account-token": { subject: "Fee account", remedy: "name one account for each token" },
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
    remedy: "send the request in a block before that of its collection"
  },
  "bucket-exists": {
    subject: "Bucket",
    remedy: "send the rollup variables with all buckets before their updates"
  },
  "roll-back-block": {
    subject: "Block to roll back to",
    remedy: "name a block that the ledger holds"
  },
  "genesis": { subject: "Genesis", remedy: "open a ledger of its own for another network" }
} as const satisfies Record<string, Wording>

/** The name of an invariant. */
export type Invariant = keyof typeof invariants
