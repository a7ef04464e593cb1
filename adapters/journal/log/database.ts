import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { crc32 } from "node:zlib"
import { type GenesisFeed, writeFeedLine } from "../../../core/domain/mod.ts"
import {
  type AcknowledgedFile,
  describeHolder,
  differenceAt,
  directoryError,
  type FileIdentity,
  hasHolder,
  identityOf,
  JournalError,
  openAcknowledgedFile,
  readLastAcknowledged,
  syncDirectory,
  writeHolder
} from "../files/mod.ts"
import { hasParts } from "../checkpoint/mod.ts"

export const databaseFile = (directory: string): string => join(directory, "journal.sqlite")

/** Marks the file as a journal: "RNOJ". */
const APPLICATION_ID = 0x524e4f4a
/** Grows with each change of the format that an older program would read wrongly. */
const FORMAT = 9

const SCHEMA = `
  CREATE TABLE network (genesis TEXT NOT NULL) STRICT;
  CREATE TABLE head (seq INTEGER NOT NULL, checksum INTEGER NOT NULL, chain TEXT) STRICT;
  CREATE TABLE record (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    version INTEGER,
    time_ms INTEGER,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    manifest TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`

/** Creates a directory with an empty database, unless they exist. Throws a `JournalError`. */
export function createDatabase(directory: string): void {
  try {
    createDirectory(directory)
    // SQLite creates its other files with the permissions of the database
    closeSync(openSync(databaseFile(directory), "a", 0o600))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === "ENOTDIR" ? "it, or a part of its path, is a file" : message
    throw directoryError(directory, `${problem}; choose another one`, error)
  }
}

/** The database, open for writing, with its statements. */
export interface Writer {
  readonly database: DatabaseSync
  readonly identity: FileIdentity
  readonly insert: StatementSync
  readonly updateHead: StatementSync
  readonly updateChainHead: StatementSync
  readonly acknowledgedFile: AcknowledgedFile
}

/**
 * Opens the files of a directory for writing and locks the database for this process. An empty one
 * gets its tables. Creates the files if no `expected` database was opened for reading; otherwise the
 * path must still lead to this one. Call it only if `openReader` has found no damage: closing a
 * database moves its write-ahead log into it. The operating system releases the lock when the
 * process ends, even if it is killed. Throws a `JournalError`.
 */
export function openForWriting(
  directory: string,
  genesisLine: string,
  expected: FileIdentity | undefined
): Writer {
  if (expected === undefined) createDatabase(directory)
  const identity = expected ?? identityOf(databaseFile(directory))
  assertInPlace(directory, identity)
  let database: DatabaseSync | undefined
  let acknowledgedFile: AcknowledgedFile | undefined
  try {
    database = openExisting(databaseFile(directory))
    lockOrCreate(database, directory, genesisLine)
    // between the two checks, the database was opened and locked
    assertInPlace(directory, identity)
    writeHolder(directory)
    acknowledgedFile = openAcknowledgedFile(directory)
    // so this file is in the same directory
    assertInPlace(directory, identity)
    return {
      database,
      identity,
      acknowledgedFile,
      insert: database.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)"),
      updateHead: database.prepare("UPDATE head SET seq = ?, checksum = ?"),
      updateChainHead: database.prepare("UPDATE head SET chain = ?")
    }
  } catch (error) {
    acknowledgedFile?.close()
    database?.close()
    throw translateError(error, directory)
  }
}

const assertInPlace = (directory: string, identity: FileIdentity): void => {
  const difference = differenceAt(databaseFile(directory), identity)
  if (difference === undefined) return
  throw new JournalError({
    reason: "directory",
    message:
      `Directory "${directory}" was moved, removed or replaced during the start (${difference}): nothing was created in its place; put it back, or start with its new path`
  })
}

/** Opens a database for reading and writing. Throws if it is missing, instead of creating it. */
export function openExisting(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  url.searchParams.set("mode", "rw")
  return new DatabaseSync(url, { timeout: 0 })
}

/** Returns whether a process has opened the journal of a directory for writing. */
export const wasOpened = (directory: string): boolean =>
  hasHolder(directory) || readLastAcknowledged(directory) > 0 || hasParts(directory)

/** Returns the first line of the feed of a network. */
export const lineOf = (genesis: GenesisFeed): string => writeFeedLine({ kind: "genesis", genesis })

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE: the shared memory of a start does not fit. */
const noSpaceCodes: ReadonlySet<number> = new Set([13, 4874])

/** Returns the `JournalError` for an error of SQLite, and any other error unchanged. */
export const translateError = (error: unknown, directory: string): unknown => {
  if (error instanceof JournalError || !isSqliteError(error)) return error
  switch (error.errcode & 0xff) {
    case 5: // busy
    case 6: // locked
      return new JournalError({
        reason: "inUse",
        cause: error,
        message: `Directory "${directory}" is in use by ${
          describeHolder(directory)
        }: one process holds a journal; end it, or choose another directory`
      })
    case 26: // not a database
      return foreignError(directory, error)
    case 11: // corrupt
      return damagedError(directory, `SQLite says "${error.errstr}"`, error)
    default:
      return directoryError(
        directory,
        noSpaceCodes.has(error.errcode)
          ? "it has no disk space: a start needs 32 KiB; make room"
          : refusedAccess(directory) ?? `SQLite says "${error.errstr}"`,
        error
      )
  }
}

/** Returns why this process may not read and write the journal; undefined if it may. */
const refusedAccess = (directory: string): string | undefined => {
  try {
    for (const path of [directory, databaseFile(directory)]) {
      accessSync(path, constants.R_OK | constants.W_OK)
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns the error for a damaged journal. `damage` completes "is damaged: ". */
export const damagedError = (directory: string, damage: string, cause?: unknown): JournalError =>
  new JournalError({
    reason: "damaged",
    cause,
    message:
      `The journal in "${directory}" is damaged: ${damage}; nothing was changed: restore the directory from a copy, or start with another one`
  })

export const foreignError = (directory: string, cause?: unknown): JournalError =>
  new JournalError({
    reason: "foreign",
    cause,
    message: `File "${
      databaseFile(directory)
    }" is not a journal of this program: choose another directory`
  })

/** Creates a directory and those above it, unless they exist. The names of new ones are durable. */
function createDirectory(path: string): void {
  if (existsSync(path)) return
  createDirectory(dirname(path))
  try {
    // not recursive: in a directory such as /proc Node would try for ever
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  syncDirectory(dirname(path))
}

/** Returns the stored genesis line; null if the database is empty. Throws if it is no journal. */
export function readGenesis(database: DatabaseSync, directory: string): string | null {
  const id = pragma(database, "application_id")
  const tables = Number(
    Object.values(database.prepare("SELECT count(*) FROM sqlite_schema").get()!)[0]
  )
  if (id === 0 && tables === 0) {
    if (wasOpened(directory)) throw damagedError(directory, "its tables are missing")
    return null
  }
  if (id !== APPLICATION_ID) throw foreignError(directory)
  const format = pragma(database, "user_version")
  if (format !== FORMAT) {
    throw new JournalError({
      reason: "otherFormat",
      message:
        `The journal in "${directory}" has format ${format}, expected ${FORMAT}: open it with the program that wrote it, or export its feed with that program and load it into another directory`
    })
  }
  const stored = database.prepare("SELECT genesis FROM network").get()?.genesis
  if (typeof stored !== "string") throw damagedError(directory, "its genesis is missing")
  return stored
}

export function assertNetwork(stored: string, genesisLine: string, directory: string): void {
  if (stored === genesisLine) return
  const [theirs, ours] = [describeNetwork(stored), describeNetwork(genesisLine)]
  const difference = theirs === ours
    ? "with another rollup address, constants or first variables"
    : `not ${ours}`
  throw new JournalError({
    reason: "otherNetwork",
    message:
      `Directory "${directory}" holds the network ${theirs}, ${difference}: choose another directory, or the options that it was made with`
  })
}

/** Takes the lock, and creates the tables if the database is empty. */
function lockOrCreate(database: DatabaseSync, directory: string, genesisLine: string): void {
  database.exec(
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 256; BEGIN IMMEDIATE"
  )
  const stored = readGenesis(database, directory)
  if (stored === null) {
    database.exec(SCHEMA)
    database.prepare("INSERT INTO network VALUES (?)").run(genesisLine)
    database.prepare("INSERT INTO head VALUES (0, ?, NULL)").run(crc32(genesisLine))
  } else assertNetwork(stored, genesisLine, directory)
  database.exec("COMMIT")
}

export const pragma = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()![name])

/** Returns a short description of the network of a genesis line. */
function describeNetwork(genesisLine: string): string {
  const { genesis: { block, network } } = JSON.parse(genesisLine) as {
    readonly genesis: Pick<GenesisFeed, "block" | "network">
  }
  return `"${network.name}" (prefix ${network.prefix}, chain ${network.chainId}, genesis block ${
    block.hash.slice(0, 10)
  }…)`
}

export const isSqliteError = (
  error: unknown
): error is Error & { readonly errcode: number; readonly errstr: string } =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number"
