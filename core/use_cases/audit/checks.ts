/**
 * The checks of an audit, and the rule of each. A store runs the checks for which it has data.
 *
 * @example
 * ```ts
 * import { auditChecks } from "rollup-node-api"
 *
 * console.log(auditChecks.transitions)
 * // => Each batch is a valid state transition from the state before it
 * ```
 */
export const auditChecks = {
  "migrations": "The applied migrations have the same texts as those of this program",
  "genesis": "The store has one genesis record, its block, ether and the first variables",
  "standing":
    "The ledger names its last block and batch, its head does not contradict them, and no number is reused",
  "blocks":
    "Block numbers are consecutive, except for recorded gaps of empty blocks; times and the newest known block never decrease",
  "block-marks": "Each block stores the next item ids and the last numbers of the ledger after it",
  "batches":
    "Batch numbers are consecutive; block, time and slot of a batch are those of its block",
  "ranges": "Each transaction and exit belongs to a batch, in the order of the batches",
  "totals": "The counts and sums of each batch equal its rows and those of all earlier batches",
  "transitions": "Each batch is a valid state transition from the state before it",
  "balances": "Each balance and nonce, current or overwritten, is the result of the transactions",
  "changes":
    "The values before each change of an account are those after its previous one, and the last ones are current",
  "rollbacks":
    "The serials of rollbacks are consecutive, their versions ascend, and each removed blocks",
  "fees": "The collected fees of a batch are the sum of its fees, and one account received them",
  "transactions":
    "Each id is the hash of its transaction, and each field is the result of the batch",
  "queued": "Queues have no gaps, and forged transactions are marked as forged",
  "exits": "The exits of a batch are the amounts that left its accounts, with their owners",
  "exit-proofs":
    "The proof of each exit leads from its leaf to the exit root of its batch, and has no old leaf",
  "withdrawals": "Each withdrawal is recorded once, with the exit and with the block",
  "state-root": "The root over all accounts is the state root of the last batch",
  "tokens": "Token ids are consecutive, and no version of a part is newer than the ledger",
  "prices": "Each overwritten price is recorded, and a token without a recorded price has none",
  "coordinators": "The current registration of each bidder is the latest one",
  "bids": "Each bidder is registered, and each bid of a slot exceeds the previous one",
  "variables": "Each set of variables can be decoded and agrees with its row",
  "posting-rows":
    "The rows of a posting list ascend, are full but for the last, and count the items before",
  "postings": "Each row is listed under exactly its keys",
  "open-items":
    "The lists of open items contain exactly the pending exits, and slots by best bidder",
  "open-counts": "The stored counts of open items are correct",
  "pool": "The counters, fees and ids of the pool agree with its transactions",
  "pool-steps": "The last transition of each transaction in the pool leads to its state",
  "pool-ledger": "States, nonces and reconciled batches of the pool agree with the ledger",
  "journal": "Each record is intact and in order, and none is missing",
  "checkpoint": "The checkpoint of the ledger is the result of the records before it",
  "feed": "Each record is valid after the records before it"
} as const

/** The name of a check. */
export type AuditCheck = keyof typeof auditChecks
