import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync
} from "node:fs"
import { readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { crc32 } from "node:zlib"
import { differenceAt, directoryError, type FileIdentity, syncDirectory } from "../files/mod.ts"
import type { JournalDirectory, PartReference } from "./manifest.ts"

const folderIn = (journalDirectory: string): string => join(journalDirectory, "checkpoint")

/** Whether a file is a part; the directory may contain files of other programs. */
const isPart = (name: string): boolean => /^[1-9]\d*$/u.test(name)

/** Returns whether a journal has parts of checkpoints. */
export const hasParts = (journalDirectory: string): boolean => {
  try {
    return readdirSync(folderIn(journalDirectory)).some(isPart)
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
  readonly #directory: JournalDirectory
  readonly #path: string
  #folder: OpenFolder | undefined
  #isClosed = false
  #next: number | undefined

  constructor(directory: JournalDirectory) {
    this.#directory = directory
    this.#path = folderIn(directory.path)
  }

  /** Creates the folder of the parts, and makes its name durable. Call it before `add`. */
  create(): void {
    if (this.#next !== undefined) return
    this.#directory.assertInPlace()
    // not recursive: a directory that was moved is not created again
    if (!existsSync(this.#path)) mkdirSync(this.#path, { mode: 0o700 })
    syncDirectory(this.#directory.path)
    const { stablePath } = this.#opened
    // so the folder is in the same directory
    this.#directory.assertInPlace()
    this.#next = 1 + Math.max(0, ...readdirSync(stablePath).filter(isPart).map(Number))
  }

  /** Returns why the path does not lead to the open folder, as a clause; undefined if it does. */
  difference(): string | undefined {
    return this.#folder && differenceAt(this.#path, this.#folder.identity)
  }

  /** Returns the bytes of a part. Throws a `damagedError` if they are not those that were written. */
  read([id, checksum]: PartReference): Uint8Array<ArrayBuffer> {
    const bytes = this.#readFile(id)
    if (crc32(bytes) !== checksum) {
      throw this.#directory.damagedError(`part ${id} of its checkpoint is not what was written`)
    }
    return bytes
  }

  /** Stores a part, and resolves when its bytes are on disk. It is durable after `sync`. */
  async add(bytes: Uint8Array): Promise<PartReference> {
    const id = this.#next!++
    await this.#step(({ stablePath }) =>
      writeFile(join(stablePath, String(id)), bytes, { flag: "wx", flush: true, mode: 0o600 })
    )
    return [id, crc32(bytes), bytes.length]
  }

  /** Makes the names of all parts durable. */
  async sync(): Promise<void> {
    await promisify(fsync)(this.#opened.descriptor)
  }

  /** Deletes all parts but these. */
  async deleteExcept(parts: ReadonlyArray<PartReference>): Promise<void> {
    const referenced = new Set(parts.map(([id]) => String(id)))
    for (const name of await this.#step(({ stablePath }) => readdir(stablePath))) {
      if (!isPart(name) || referenced.has(name)) continue
      await this.#step(({ stablePath }) => rm(join(stablePath, name), { force: true }))
    }
  }

  /** Closes the folder. No other method may be in progress. */
  close(): void {
    this.#isClosed = true
    if (this.#folder !== undefined) closeSync(this.#folder.descriptor)
    this.#folder = undefined
  }

  get #opened(): OpenFolder {
    if (this.#isClosed) throw new Error("The parts of the checkpoint are closed")
    return this.#folder ??= openFolder(this.#path)
  }

  /** Creates, lists or deletes parts. An error names the path by which users know them. */
  async #step<A>(run: (folder: OpenFolder) => Promise<A>): Promise<A> {
    this.#directory.assertInPlace()
    const folder = this.#opened
    try {
      return await run(folder)
    } catch (error) {
      this.#directory.assertInPlace()
      const { message } = error as Error
      throw new Error(message.replaceAll(folder.stablePath, this.#path), { cause: error })
    }
  }

  #readFile(id: number): Uint8Array<ArrayBuffer> {
    try {
      return readFileSync(join(this.#opened.stablePath, String(id)))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const part = `part ${id} of its checkpoint`
      if (code === "ENOENT") throw this.#directory.damagedError(`${part} is missing`)
      throw directoryError(this.#directory.path, `${part} cannot be read (${code})`, error)
    }
  }
}

/** The open folder of the parts. It stays the same if a folder above it is renamed. */
interface OpenFolder {
  readonly descriptor: number
  readonly identity: FileIdentity
  /**
   * A path through the descriptor if the system has one, as Linux does; otherwise the path by which
   * the folder was opened. So on Linux no step uses a folder that was put in its place.
   */
  readonly stablePath: string
}

const openFolder = (path: string): OpenFolder => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  const stablePath = `/proc/self/fd/${descriptor}`
  return {
    descriptor,
    identity: fstatSync(descriptor, { bigint: true }),
    stablePath: existsSync(stablePath) ? stablePath : path
  }
}
