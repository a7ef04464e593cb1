import { existsSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import {
  assertNetwork,
  damagedError,
  databaseFile,
  foreignError,
  isSqliteError,
  lineOf,
  openExisting,
  pragma,
  readGenesis,
  translateError,
  wasOpened
} from "./database.ts"
import {
  differenceAt,
  type FileIdentity,
  identityOf,
  findLogDamage,
  JournalError
} from "../files/mod.ts"

/** A journal that is open for reading, and locked for this process. */
export interface OpenReader {
  readonly database: DatabaseSync
  readonly identity: FileIdentity
  readonly genesisLine: string
  /** Closes the journal. All files of the directory are then as they were. */
  readonly close: () => void
}

/**
 * Opens the database of a directory for reading, without a change to any file. Returns null if
 * there is none yet and a genesis is given. Throws a `JournalError`.
 */
export function openReader(directory: string, genesis: GenesisFeed | null): OpenReader | null {
  if (isMissing(directory)) {
    if (genesis !== null) return null
    throw new JournalError({
      reason: "missing",
      message:
        `Directory "${directory}" holds no journal: expected one that "serve --data" has written`
    })
  }
  try {
    const { close, database, identity } = lockUnchanged(databaseFile(directory))
    try {
      const genesisLine = readGenesis(database, directory)
      const damage = findLogDamage(`${databaseFile(directory)}-wal`)
      if (damage !== undefined) throw damagedError(directory, damage)
      if (genesisLine === null && genesis === null) throw foreignError(directory)
      if (genesisLine !== null) {
        if (genesis !== null) assertNetwork(genesisLine, lineOf(genesis), directory)
        return { database, identity, genesisLine, close }
      }
    } catch (error) {
      close()
      throw error
    }
    close()
    return null
  } catch (error) {
    throw translateError(error, directory)
  }
}

/** Returns whether a directory has no journal yet. Throws if a journal has lost its database. */
function isMissing(directory: string): boolean {
  const file = databaseFile(directory)
  const isEmpty = sizeOf(file) === 0
  const isRolledBack = sizeOf(`${file}-journal`) > 0
  if (!isEmpty && !isRolledBack) return false
  // the program creates these files after the database
  if (!wasOpened(directory) && sizeOf(`${file}-wal`) === 0) return true
  throw damagedError(
    directory,
    isEmpty
      ? `"${file}" is missing or empty, but other files of a journal are there`
      : `"${file}-journal" is not a file of this program`
  )
}

/** Returns the size of a file; 0 if it is missing. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/**
 * Opens and locks a database so that closing it changes nothing. The last connection that closes
 * moves the write-ahead log into the database, unless it is read-only: so a read-only connection
 * closes last. The shared memory file of SQLite exists meanwhile.
 */
function lockUnchanged(file: string): Omit<OpenReader, "genesisLine"> {
  const [log, memory] = [`${file}-wal`, `${file}-shm`]
  const created = [log, memory].filter((name) => !existsSync(name))
  // SQLite creates the log before it finds that the database is damaged
  if (created.includes(log)) readImmutable(file)
  const last = new DatabaseSync(file, { readOnly: true, timeout: 0 })
  let database: DatabaseSync | undefined
  try {
    last.exec("BEGIN")
    pragma(last, "application_id")
    database = openExisting(file)
    database.exec("BEGIN IMMEDIATE")
    const [locked, identity] = [database, identityOf(file)]
    return {
      database,
      identity,
      close: () => {
        // removed under the lock: afterwards they may belong to another process
        if (differenceAt(file, identity) === undefined) {
          for (const name of created) rmSync(name, { force: true })
        }
        locked.close()
        last.close()
      }
    }
  } catch (error) {
    const isBusy = isSqliteError(error) && (error.errcode & 0xff) === 5
    // without the lock, the log may be that of another process
    if (!isBusy && created.includes(memory)) rmSync(memory, { force: true })
    database?.close()
    last.close()
    throw error
  }
}

/** Throws if a database without a log has a damaged header. No file is locked or created. */
function readImmutable(file: string): void {
  const url = pathToFileURL(file)
  url.searchParams.set("immutable", "1")
  const database = new DatabaseSync(url, { readOnly: true })
  try {
    pragma(database, "application_id")
  } finally {
    database.close()
  }
}
