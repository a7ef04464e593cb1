import { createHash } from "node:crypto"
import { ledgerSchema } from "./_ledger_schema.ts"
import { poolSchema } from "./_pool_schema.ts"

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
  { number: 2, name: "pool", statements: poolSchema }
]

/** Returns the SHA-256 of the statements, as hexadecimal digits, to detect a changed text. */
export const checksumOf = ({ statements }: Migration): string => {
  const hash = createHash("sha256")
  for (const statement of statements) hash.update(`${statement}\n;\n`)
  return hash.digest("hex")
}
