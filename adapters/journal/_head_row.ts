import type { DatabaseSync, StatementSync } from "node:sqlite"
import { crc32 } from "node:zlib"

/** The last head of a journal. */
export interface StoredHead {
  /** The record after which it was set; 0 if it was set before the first one. */
  readonly seq: number
  /** The version of the ledger after it. */
  readonly version: number
  /** Its line of the feed. */
  readonly text: string
}

const schema = `
  CREATE TABLE IF NOT EXISTS chain_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT
`

/**
 * The row of the last head, which each new one replaces, so that any number of heads needs the space
 * of one. It is created with the first head. A program that does not know it ignores it.
 */
export class HeadRow {
  readonly #open: () => DatabaseSync
  readonly #damagedError: (damage: string) => Error
  #replace: StatementSync | undefined

  /**
   * @param open returns the open database
   * @param damagedError returns the error for a damage, which completes "is damaged: "
   */
  constructor(open: () => DatabaseSync, damagedError: (damage: string) => Error) {
    this.#open = open
    this.#damagedError = damagedError
  }

  /** Returns the last head, or undefined. Throws the error of the constructor if it is damaged. */
  read(): StoredHead | undefined {
    const database = this.#open()
    const exists = database.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'chain_head'"
    ).get()
    if (exists === undefined) return undefined
    const row = database.prepare("SELECT seq, version, text, checksum FROM chain_head").get() as
      | StoredHead & { readonly checksum: number }
      | undefined
    if (row === undefined) return undefined
    const { checksum, ...head } = row
    if (checksumOf(head) !== checksum) throw this.#damagedError("its head of the chain was changed")
    return head
  }

  /** Replaces the head, in the transaction of the caller. */
  replace(head: StoredHead): void {
    const database = this.#open()
    // a refused commit takes the table back
    database.exec(schema)
    this.#replace ??= database.prepare("INSERT OR REPLACE INTO chain_head VALUES (1, ?, ?, ?, ?)")
    this.#replace.run(head.seq, head.version, head.text, checksumOf(head))
  }
}

const checksumOf = ({ seq, text, version }: StoredHead): number =>
  crc32(`${seq} ${version} ${text}`)
