import type { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import type { Manifest } from "./manifest.ts"
import type { JournalDirectory } from "./parts.ts"

/** The table of the checkpoint in the database of a journal. Each method is one transaction. */
export class CheckpointTable {
  readonly #open: () => DatabaseSync
  readonly #directory: JournalDirectory

  /** @param open returns the open database */
  constructor(open: () => DatabaseSync, directory: JournalDirectory) {
    this.#open = open
    this.#directory = directory
  }

  /** Returns the installed checkpoint, or undefined. Throws a `damagedError` if it was changed. */
  read(): Manifest | undefined {
    const row = this.#database.prepare("SELECT manifest, checksum FROM checkpoint").get() as
      | { readonly manifest: string; readonly checksum: number }
      | undefined
    if (row === undefined) return undefined
    if (crc32(row.manifest) !== row.checksum) {
      throw this.#directory.damagedError("its checkpoint was changed")
    }
    return JSON.parse(row.manifest) as Manifest
  }

  /** Replaces the checkpoint. */
  install(manifest: Manifest): void {
    const text = JSON.stringify(manifest)
    this.#directory.assertInPlace()
    this.#database.prepare("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?)")
      .run(text, crc32(text))
  }

  /**
   * Deletes the records that a checkpoint includes. Yields after each transaction of some
   * milliseconds.
   */
  *deleteRecords({ seq }: Manifest): Generator<void, void> {
    const first = this.#database.prepare("SELECT min(seq) AS seq FROM record").get()?.seq
    const remove = this.#database.prepare("DELETE FROM record WHERE seq = ?")
    let next = Number(first ?? seq + 1)
    while (next <= seq) {
      next = this.#write(() => {
        const endMs = performance.now() + sliceMs
        let record = next
        for (; record <= seq && performance.now() < endMs; record++) remove.run(record)
        return record
      })
      yield
    }
  }

  get #database(): DatabaseSync {
    return this.#open()
  }

  #write<A>(change: () => A): A {
    this.#directory.assertInPlace()
    this.#database.exec("BEGIN IMMEDIATE")
    try {
      const result = change()
      this.#database.exec("COMMIT")
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK")
      throw error
    }
  }
}

/** Short enough that requests do not wait noticeably. */
const sliceMs = 3
