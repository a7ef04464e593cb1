import type { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import { type Manifest, type PartReference, partsOf } from "./manifest.ts"

/** The format of a journal that has, or had, a checkpoint. */
export const FORMAT_WITH_CHECKPOINT = 2

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    manifest TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS part (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  PRAGMA user_version = ${FORMAT_WITH_CHECKPOINT};
`

/** The tables of the checkpoint in the database of a journal. Each method is one transaction. */
export class CheckpointTables {
  readonly #open: () => DatabaseSync
  readonly #damagedError: (damage: string) => Error
  #nextPart: number | undefined

  /**
   * @param open returns the open database
   * @param damagedError returns the error for a damage, which completes "is damaged: "
   */
  constructor(open: () => DatabaseSync, damagedError: (damage: string) => Error) {
    this.#open = open
    this.#damagedError = damagedError
  }

  /** Creates the tables. A program that does not know them refuses the directory from then on. */
  create(): void {
    if (this.#nextPart !== undefined) return
    this.#write(() => this.#database.exec(SCHEMA))
    this.#nextPart = 1 +
      Number(this.#database.prepare("SELECT coalesce(max(id), 0) AS id FROM part").get()!.id)
  }

  /** Returns the installed checkpoint, or undefined. Throws the error of the constructor if it is damaged. */
  read(): Manifest | undefined {
    const exists = this.#database.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'checkpoint'"
    ).get()
    if (exists === undefined) return undefined
    const row = this.#database.prepare("SELECT manifest, checksum FROM checkpoint").get() as
      | { readonly manifest: string; readonly checksum: number }
      | undefined
    if (row === undefined) return undefined
    if (crc32(row.manifest) !== row.checksum) throw this.#damagedError("its checkpoint was changed")
    return JSON.parse(row.manifest) as Manifest
  }

  /** Returns the bytes of a part. Throws the error of the constructor if they are not those that were written. */
  readPart([id, checksum]: PartReference): Uint8Array {
    const bytes = this.#database.prepare("SELECT bytes FROM part WHERE id = ?").get(id)?.bytes
    if (!(bytes instanceof Uint8Array)) {
      throw this.#damagedError(`part ${id} of its checkpoint is missing`)
    }
    if (crc32(bytes) !== checksum) {
      throw this.#damagedError(`part ${id} of its checkpoint is not what was written`)
    }
    return bytes
  }

  /** Stores a part. It belongs to no checkpoint until `install`, whose commit syncs it too. */
  addPart(bytes: Uint8Array): PartReference {
    const id = this.#nextPart!++
    this.#database.exec("PRAGMA synchronous = NORMAL")
    try {
      this.#database.prepare("INSERT INTO part VALUES (?, ?)").run(id, bytes)
    } finally {
      this.#database.exec("PRAGMA synchronous = FULL")
    }
    return [id, crc32(bytes), bytes.length]
  }

  /** Replaces the checkpoint. */
  install(manifest: Manifest): void {
    const text = JSON.stringify(manifest)
    this.#database.prepare("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?)")
      .run(text, crc32(text))
  }

  /**
   * Deletes the records that a checkpoint includes, and the parts that it does not refer to. Yields
   * after each transaction of some milliseconds.
   */
  *deleteObsolete(manifest: Manifest): Generator<void, void> {
    const referenced = new Set(partsOf(manifest).map(([id]) => id))
    const parts = this.#database.prepare("SELECT id FROM part").all()
      .map(({ id }) => Number(id)).filter((id) => !referenced.has(id))
    yield* this.#deleteEach("DELETE FROM part WHERE id = ?", parts)
    const first = this.#database.prepare("SELECT min(seq) AS seq FROM record").get()?.seq
    const from = first === null || first === undefined ? manifest.seq + 1 : Number(first)
    yield* this.#deleteEach("DELETE FROM record WHERE seq = ?", range(from, manifest.seq))
  }

  *#deleteEach(statement: string, keys: Iterable<number>): Generator<void, void> {
    const remove = this.#database.prepare(statement)
    const iterator = keys[Symbol.iterator]()
    for (let next = iterator.next(); next.done !== true;) {
      this.#write(() => {
        const endMs = performance.now() + sliceMs
        for (; next.done !== true && performance.now() < endMs; next = iterator.next()) {
          remove.run(next.value)
        }
      })
      yield
    }
  }

  get #database(): DatabaseSync {
    return this.#open()
  }

  #write(change: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE")
    try {
      change()
      this.#database.exec("COMMIT")
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK")
      throw error
    }
  }
}

/** Short enough that requests do not wait noticeably. */
const sliceMs = 3

function* range(from: number, to: number): Generator<number, void> {
  for (let each = from; each <= to; each++) yield each
}
