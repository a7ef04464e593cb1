/**
 * The checks of an audit by name, with the rule that each verifies. A store runs the checks for
 * which it has the data.
 */
export const auditChecks = {
  "migrations": "The applied migrations are those of this program, text by text",
  "genesis":
    "The network that the store was opened with is told once, and its first block, ether and first variables are there",
  "standing": "The ledger stands at its last block and batch, and gives no number a second time",
  "blocks":
    "The numbers of blocks are consecutive from the genesis on, times and the newest block known never go back",
  "block-marks": "Each block knows how far everything reached when it had been written",
  "batches":
    "Batches are consecutive, and block, time and slot are those of the block that they came in",
  "stretches": "The transactions and exits of batches follow each other, and none lies outside",
  "totals": "What a batch counts of itself and of all before it is what there is",
  "transitions": "Every batch follows from the state before it by the rules of the rollup",
  "balances":
    "Every balance and nonce, those that were overwritten and those of today, is what the transactions lead to",
  "fees": "What a batch collects is the sum of the fees, and an account of each token got it",
  "transactions":
    "Ids are the hashes of what they name, and what is told of a transaction is what its batch made of it",
  "queued": "Queued transactions stand without gaps, and are marked as forged where they are",
  "exits": "The exits of a batch are what left its accounts, with their owners",
  "exit-proofs": "The proof of an exit leads from its leaf to the exit root of its batch",
  "withdrawals": "Each block of a withdrawal is noted once, on the exit and beside the block",
  "state-root": "The root over all accounts is the state root of the last batch",
  "tokens": "Token ids are consecutive, versions are no newer than the ledger knows",
  "prices": "Each price that was overwritten is noted, and a token that was never priced has none",
  "coordinators": "The registration that counts is the latest one of each bidder",
  "bids": "Bidders are registered, and each bid of a slot exceeds the one before it",
  "variables": "Every set of variables can be read and says what its row says",
  "posting-rows":
    "The rows of a list are full but for the last, ascend, and know how many items come before them",
  "postings": "Every row is listed under exactly its keys",
  "postings-below": "Exactly what is filed is in the lists of combinations",
  "open-items":
    "Exits that can be withdrawn and slots that are held are listed as open, and nothing else",
  "open-counts": "The counts of open items are their numbers",
  "pool":
    "The counters of the pool are its numbers, and fees and ids are those of its transactions",
  "pool-steps": "The last step of a transaction leads to the state that it is in",
  "pool-ledger": "States, nonces and marks of the pool are what the ledger leads to",
  "journal": "Every record is what was written, in its order, and none is missing",
  "decisions": "What was decided about a block is what is decided when it is checked anew",
  "feed": "Every record follows from those before it by all rules"
} as const

export type AuditCheck = keyof typeof auditChecks
