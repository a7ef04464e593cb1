import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { open, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import type { PartReference } from "./manifest.ts"

const partsDirectory = (journalDirectory: string): string => join(journalDirectory, "checkpoint")

/** Whether a file is a part; the directory may contain files of other programs. */
const isPart = (name: string): boolean => /^[1-9]\d*$/u.test(name)

/** Returns whether a journal has parts of checkpoints. */
export const hasParts = (journalDirectory: string): boolean => {
  try {
    return readdirSync(partsDirectory(journalDirectory)).some(isPart)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return false
    throw error
  }
}

/**
 * The parts of checkpoints, each in a file of its own. They are written and deleted by the threads of
 * Node, so that the event loop does not wait for the disk, as it would for a commit of SQLite.
 */
export class Parts {
  readonly #directory: string
  readonly #damagedError: (damage: string) => Error
  #next: number | undefined

  /**
   * @param journalDirectory the directory of the journal
   * @param damagedError returns the error for a damage, which completes "is damaged: "
   */
  constructor(journalDirectory: string, damagedError: (damage: string) => Error) {
    this.#directory = partsDirectory(journalDirectory)
    this.#damagedError = damagedError
  }

  /** Creates the directory of the parts. Call it before `add`. */
  create(): void {
    if (this.#next !== undefined) return
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    this.#next = 1 + Math.max(0, ...readdirSync(this.#directory).filter(isPart).map(Number))
  }

  /**
   * Returns the bytes of a part. Throws the error of the constructor if they are not those that were
   * written.
   */
  read([id, checksum]: PartReference): Uint8Array {
    const bytes = this.#readFile(id)
    if (crc32(bytes) !== checksum) {
      throw this.#damagedError(`part ${id} of its checkpoint is not what was written`)
    }
    return bytes
  }

  /** Stores a part, and resolves when its bytes are on disk. It is durable after `sync`. */
  async add(bytes: Uint8Array): Promise<PartReference> {
    const id = this.#next!++
    await writeFile(this.#fileOf(id), bytes, { flag: "wx", flush: true, mode: 0o600 })
    return [id, crc32(bytes), bytes.length]
  }

  /** Makes the names of all parts durable. */
  async sync(): Promise<void> {
    const directory = await open(this.#directory)
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  }

  /** Deletes all parts but these. */
  async deleteExcept(parts: ReadonlyArray<PartReference>): Promise<void> {
    const referenced = new Set(parts.map(([id]) => String(id)))
    for (const name of await readdir(this.#directory)) {
      if (isPart(name) && !referenced.has(name)) {
        await rm(join(this.#directory, name), { force: true })
      }
    }
  }

  #fileOf(id: number): string {
    return join(this.#directory, String(id))
  }

  #readFile(id: number): Uint8Array {
    try {
      return readFileSync(this.#fileOf(id))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
      throw this.#damagedError(`part ${id} of its checkpoint is missing`)
    }
  }
}
