import type { DatabaseSync, StatementSync } from "node:sqlite"
import { crc32 } from "node:zlib"

/** The last head of the chain in a journal. */
export interface StoredHead {
  /** The record after which it was set; 0 if it was set before the first one. */
  readonly seq: number
  /** The version of the ledger after it. */
  readonly version: number
  /** Its line of the feed. */
  readonly text: string
}

/**
 * The last head of the chain, in a column of the row that each commit updates. A new head replaces
 * it, so that any number of heads needs the space of one. The first one adds the column, which a
 * program that does not know it ignores.
 */
export class ChainHead {
  readonly #open: () => DatabaseSync
  readonly #damagedError: (damage: string) => Error
  #update: StatementSync | undefined

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
    if (!this.#hasColumn) return undefined
    const chain = this.#open().prepare("SELECT chain FROM head").get()?.chain
    if (typeof chain !== "string") return undefined
    const end = chain.indexOf(" ")
    const json = chain.slice(end + 1)
    if (String(crc32(json)) !== chain.slice(0, end)) {
      throw this.#damagedError("its head of the chain was changed")
    }
    return JSON.parse(json) as StoredHead
  }

  /** Replaces the head, in the transaction of the caller. */
  replace(head: StoredHead): void {
    if (this.#update === undefined) {
      // a commit that is refused takes the column back
      if (!this.#hasColumn) this.#open().exec("ALTER TABLE head ADD COLUMN chain TEXT")
      this.#update = this.#open().prepare("UPDATE head SET chain = ?")
    }
    const json = JSON.stringify(head)
    this.#update.run(`${crc32(json)} ${json}`)
  }

  /** Call it if the transaction of `replace` was rolled back. */
  forgetColumn(): void {
    this.#update = undefined
  }

  get #hasColumn(): boolean {
    return this.#open().prepare("SELECT 1 FROM pragma_table_info('head') WHERE name = 'chain'")
      .get() !== undefined
  }
}
