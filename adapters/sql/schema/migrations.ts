import { createHash } from "node:crypto"
import { ledgerSchema } from "./_ledger_schema.ts"
import { poolSchema } from "./_pool_schema.ts"

/** One step of the schema. Once it was applied anywhere its text stays as it is: what is to be different is one more migration. */
export interface Migration {
  /** From 1 on, without gaps. */
  readonly number: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** Every migration there is, in the order in which they are applied. */
export const migrations: ReadonlyArray<Migration> = [
  { number: 1, name: "ledger", statements: ledgerSchema },
  { number: 2, name: "pool", statements: poolSchema }
]

/** Tells whether the text is the one that was applied: SHA-256 over the statements, hexadecimal. */
export const checksumOf = ({ statements }: Migration): string => {
  const hash = createHash("sha256")
  for (const statement of statements) hash.update(`${statement}\n;\n`)
  return hash.digest("hex")
}
