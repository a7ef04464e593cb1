import { createHash } from "node:crypto"
import { headSchema } from "./_head_schema.ts"
import { lastRowSchema } from "./_last_row_schema.ts"
import { ledgerSchema } from "./_ledger_schema.ts"
import {
  groupSchema,
  lastBatchSchema,
  poolListByStateSchema,
  poolListSchema,
  poolSchema
} from "./_pool_schema.ts"
import {
  ethereumTransactionsSchema,
  gapSchema,
  l1TotalsSchema
} from "./_published_fields_schema.ts"
import { sideSchema } from "./_side_schema.ts"
import { wonSlotSchema } from "./_won_slot_schema.ts"

/**
 * One step of the schema. Its text must never change once it is applied to any database: a change
 * of the schema is a new migration.
 */
export interface Migration {
  /** Numbers begin with 1 and have no gaps. */
  readonly number: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** All migrations, in the order in which they are applied. */
export const migrations: ReadonlyArray<Migration> = [
  { number: 1, name: "ledger", statements: ledgerSchema },
  { number: 2, name: "pool", statements: poolSchema },
  {
    number: 3,
    name: "pool transitions in their order",
    statements: ["CREATE UNIQUE INDEX pool_transition_number ON pool_transition (number)"]
  },
  {
    number: 4,
    name: "transaction ids in a hash index",
    // each id has a random place in its index: the smaller the index, the fewer of its pages are
    // read, evicted, and logged after each checkpoint. Only such a constraint is unique by hash
    statements: [
      "ALTER TABLE transaction DROP CONSTRAINT transaction_id_key",
      "ALTER TABLE transaction ADD CONSTRAINT transaction_id EXCLUDE USING hash (id WITH =)"
    ]
  },
  { number: 5, name: "last batch of pool transactions", statements: lastBatchSchema },
  { number: 6, name: "list of the pool", statements: poolListSchema },
  { number: 7, name: "won slots", statements: wonSlotSchema },
  { number: 8, name: "totals of L1 user transactions", statements: l1TotalsSchema },
  { number: 9, name: "atomic groups of pool transactions", statements: groupSchema },
  { number: 10, name: "Ethereum transactions", statements: ethereumTransactionsSchema },
  { number: 11, name: "transactions by sender and by receiver", statements: sideSchema },
  { number: 12, name: "last rows of posting lists", statements: lastRowSchema },
  { number: 13, name: "gaps of empty blocks", statements: gapSchema },
  { number: 14, name: "head", statements: headSchema },
  { number: 15, name: "list of the pool by state", statements: poolListByStateSchema }
]

/** Returns the SHA-256 of the statements, as hexadecimal digits, to detect a changed text. */
export const checksumOf = ({ statements }: Migration): string => {
  const hash = createHash("sha256")
  for (const statement of statements) hash.update(`${statement}\n;\n`)
  return hash.digest("hex")
}
