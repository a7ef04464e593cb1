import { createHash } from "node:crypto"
import { ledgerTables } from "./_ledger_tables.ts"
import { poolTables } from "./_pool_tables.ts"

/**
 * One step of the schema. Its text must never change once a release has applied it: a change of the
 * schema is then a new migration.
 */
export interface Migration {
  /** Numbers begin with 1 and have no gaps. */
  readonly number: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/**
 * All migrations, in the order in which they are applied. Until the first release there is one,
 * which derives from the declarations in `entities`, and a database of an earlier build has to be
 * loaded again. At the release its text moves into a file of its own, so that a new column changes
 * only the declarations and a new migration. A change that such databases cannot be updated to
 * gives the first migration another name.
 */
export const migrations: ReadonlyArray<Migration> = [
  { number: 1, name: "initial schema", statements: [...ledgerTables, ...poolTables] }
]

/** Returns the SHA-256 of the statements, as hexadecimal digits, to detect a changed text. */
export const checksumOf = ({ statements }: Migration): string => {
  const hash = createHash("sha256")
  for (const statement of statements) hash.update(`${statement}\n;\n`)
  return hash.digest("hex")
}
