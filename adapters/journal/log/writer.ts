import type { DatabaseSync, StatementSync } from "node:sqlite"
import { createDatabase, databaseFile, openWriter } from "./database.ts"
import {
  differenceAt,
  type FileIdentity,
  identityOf,
  writeHolder,
  type AcknowledgedFile,
  openAcknowledgedFile,
  JournalError
} from "../files/mod.ts"

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
 * Opens the files of a directory for writing. Creates them if no `expected` database was opened for
 * reading; otherwise the path must still lead to this one. Throws a `JournalError`.
 */
export const openForWriting = (
  directory: string,
  genesisLine: string,
  expected: FileIdentity | undefined
): Writer => {
  if (expected === undefined) createDatabase(directory)
  const identity = expected ?? identityOf(databaseFile(directory))
  assertInPlace(directory, identity)
  const database = openWriter(directory, genesisLine)
  let acknowledgedFile: AcknowledgedFile | undefined
  try {
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
    database.close()
    throw error
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
