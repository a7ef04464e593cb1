import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import { type GenesisFeed, writeFeedLine } from "../../core/domain/mod.ts"
import { describeHolder, writeHolder } from "./_holder.ts"
import { findLogDamage } from "./_write_ahead_log.ts"
import { JournalError } from "./journal_error.ts"

const databaseFile = (directory: string): string => join(directory, "journal.sqlite")

/** Marks the file as a journal: "RNOJ". */
const APPLICATION_ID = 0x524e4f4a
/** Grows with each change of the format that an older program would read wrongly. */
const FORMAT = 1

const SCHEMA = `
  CREATE TABLE network (genesis TEXT NOT NULL) STRICT;
  CREATE TABLE head (seq INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
  CREATE TABLE record (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    decided TEXT,
    decided_checksum INTEGER
  ) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
`

/**
 * Opens the database of a directory and locks it for this process. Creates it if a genesis is
 * given, otherwise it must exist. The operating system releases the lock when the process ends,
 * even if it is killed. Throws a `JournalError`.
 */
export function openDatabase(
  directory: string,
  genesis: GenesisFeed | null
): { readonly database: DatabaseSync; readonly genesisLine: string } {
  const file = databaseFile(directory)
  if (genesis === null && !existsSync(file)) {
    throw new JournalError({
      reason: "missing",
      message:
        `Directory "${directory}" holds no journal: expected one that "serve --data" has written`
    })
  }
  prepare(directory)
  // SQLite creates its other files with the permissions of the database
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600))
  const database = connect(directory, file)
  try {
    const line = genesis === null ? null : writeFeedLine({ kind: "genesis", genesis })
    const genesisLine = lockAndRead(database, directory, line)
    writeHolder(directory)
    return { database, genesisLine }
  } catch (error) {
    database.close()
    throw translateError(error, directory)
  }
}

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
      return new JournalError({
        reason: "directory",
        cause: error,
        message: `Directory "${directory}" cannot be used: SQLite says "${error.errstr}"`
      })
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

const foreignError = (directory: string, cause?: unknown): JournalError =>
  new JournalError({
    reason: "foreign",
    cause,
    message: `File "${
      databaseFile(directory)
    }" is not a journal of this program: choose another directory`
  })

function prepare(directory: string): void {
  try {
    const created = mkdirSync(directory, { recursive: true, mode: 0o700 })
    // a new directory is durable once its parent is synced
    if (created !== undefined) syncDirectory(dirname(created))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === "EEXIST" || code === "ENOTDIR"
      ? "it, or a part of its path, is a file"
      : (error as Error).message
    throw new JournalError({
      reason: "directory",
      cause: error,
      message: `Directory "${directory}" cannot be used: ${problem}; choose another one`
    })
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function connect(directory: string, file: string): DatabaseSync {
  const damage = findLogDamage(`${file}-wal`)
  if (damage !== undefined) throw damagedError(directory, damage)
  try {
    return new DatabaseSync(file, { timeout: 0 })
  } catch (error) {
    throw translateError(error, directory)
  }
}

/**
 * Takes the lock, then creates the tables or compares the stored genesis with `genesisLine`.
 * Returns the stored genesis line.
 */
function lockAndRead(
  database: DatabaseSync,
  directory: string,
  genesisLine: string | null
): string {
  database.exec(
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE"
  )
  const id = pragma(database, "application_id")
  const tables = Number(
    Object.values(database.prepare("SELECT count(*) FROM sqlite_schema").get()!)[0]
  )
  if (id === 0 && tables === 0) {
    if (genesisLine === null) throw foreignError(directory)
    database.exec(SCHEMA)
    database.prepare("INSERT INTO network VALUES (?)").run(genesisLine)
    database.prepare("INSERT INTO head VALUES (0, ?)").run(crc32(genesisLine))
    database.exec("COMMIT")
    return genesisLine
  }
  database.exec("COMMIT")
  if (id !== APPLICATION_ID) throw foreignError(directory)
  const format = pragma(database, "user_version")
  if (format !== FORMAT) {
    throw new JournalError({
      reason: "newer",
      message:
        `The journal in "${directory}" has format ${format}, expected ${FORMAT}: open it with the program that wrote it`
    })
  }
  const stored = database.prepare("SELECT genesis FROM network").get()?.genesis
  if (typeof stored !== "string") throw damagedError(directory, "its genesis is missing")
  if (genesisLine !== null && stored !== genesisLine) {
    throw new JournalError({
      reason: "otherNetwork",
      message: `Directory "${directory}" holds the network ${describeNetwork(stored)}, not ${
        describeNetwork(genesisLine)
      }: choose another directory, or the options that it was made with`
    })
  }
  return stored
}

const pragma = (database: DatabaseSync, name: string): number =>
  Number(database.prepare(`PRAGMA ${name}`).get()![name])

/** Returns a short description of the network of a genesis line. */
function describeNetwork(genesisLine: string): string {
  const { genesis: { block, network } } = JSON.parse(genesisLine) as {
    readonly genesis: {
      readonly block: { readonly hash: string }
      readonly network: { readonly name: string; readonly prefix: string; readonly chainId: number }
    }
  }
  return `"${network.name}" (prefix ${network.prefix}, chain ${network.chainId}, genesis block ${
    block.hash.slice(0, 10)
  }…)`
}

const isSqliteError = (
  error: unknown
): error is Error & { readonly errcode: number; readonly errstr: string } =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number"
