import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Effect, FileSystem, type Redacted } from "effect"
import { join, resolve } from "node:path"
import { auditChecks, type AuditReport } from "../../core/mod.ts"
import { connectionOptions, type ResolvedOptions, type settings } from "../config/mod.ts"

/** The stored result of `verify`. */
export interface Verification extends AuditReport {
  readonly finishedAt: string
  readonly durationMs: number
}

/** The location of a store to verify. */
export type VerifiedLocation =
  | { readonly kind: "directory"; readonly directory: string }
  | { readonly kind: "database"; readonly url: Redacted.Redacted }

/** Returns the location of the stores that settings name: the database, or else the directory. */
export const locationOf = (
  { data, database }: Pick<settings.ServeSettings, "data" | "database">
): VerifiedLocation =>
  database === undefined
    ? { kind: "directory", directory: resolve(data) }
    : { kind: "database", url: database }

type Connections = ResolvedOptions<typeof settings.connections>

const fileIn = (directory: string): string => join(directory, "verification.json")

/** Stores the result for the admin listener of the server. If that fails, logs a warning. */
export const saveVerification = (
  location: VerifiedLocation | { readonly kind: "feed" },
  verification: Verification,
  settings: Connections
): Effect.Effect<void> => {
  const text = JSON.stringify(verification)
  const save: Effect.Effect<void, unknown> = location.kind === "directory"
    ? withFiles((files) => replaceFile(files, fileIn(location.directory), text))
    : location.kind === "database"
    ? inDatabase(location.url, reporting(settings), ({ saveAudit }) => saveAudit(text))
    : Effect.void
  return Effect.catch(
    save,
    (error) => Effect.logWarning("The result could not be stored for the admin listener", error)
  )
}

/** Returns the last stored result as JSON; null if there is none. */
export const lastVerification = (
  location: VerifiedLocation,
  settings: Connections
): Effect.Effect<string | null, unknown> =>
  location.kind === "database"
    ? inDatabase(location.url, reporting(settings), ({ lastAudit }) => lastAudit)
    : withFiles((files) => files.readFileString(fileIn(location.directory))).pipe(
      Effect.catchIf(({ reason }) => reason._tag === "NotFound", () => Effect.succeed(null))
    )

/** Replaces a file as a whole, so that a full disk or a kill leaves the last result. */
const replaceFile = (files: FileSystem.FileSystem, file: string, text: string) =>
  Effect.andThen(
    files.writeFileString(`${file}.new`, text, { mode: 0o600 }),
    files.rename(`${file}.new`, file)
  )

const withFiles = <A, E>(use: (files: FileSystem.FileSystem) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(FileSystem.FileSystem, use), NodeFileSystem.layer)

/** Few connections, and no wait for a database that does not answer: the result is secondary. */
const reporting = (settings: Connections): Connecting => ({
  ...connectionOptions(settings),
  maxConnections: 4,
  waitMs: 0,
  applicationName: "rollup-node verification"
})

type SqlModule = typeof import("../../adapters/sql/mod.ts")
type Connecting = ReturnType<typeof connectionOptions>

/** Runs an effect of the adapter for databases, which is imported for it. */
export const inDatabase = <A, E>(
  url: Redacted.Redacted,
  options: Connecting,
  use: (sql: SqlModule) => Effect.Effect<A, E, import("../../adapters/sql/mod.ts").Database>
) =>
  Effect.flatMap(
    Effect.promise(() => import("../../adapters/sql/mod.ts")),
    (sql) => Effect.provide(use(sql), sql.databaseLayer({ url, ...options }))
  )

/** Formats the result as text, line by line. */
export function* formatReport(
  { checks, isSound, notes, violations }: Verification,
  took: string
): Generator<string, void> {
  const width = Math.max(...checks.map(({ check }) => check.length), 0)
  yield `${"check".padEnd(width)}  ${"checked".padStart(10)}  ${"wrong".padStart(7)}\n`
  for (const { check, checked, violations } of checks) {
    yield `${check.padEnd(width)}  ${String(checked).padStart(10)}  ${
      String(violations).padStart(7)
    }  ${auditChecks[check]}\n`
  }
  if (violations.length > 0) yield "\n"
  for (const { check, expected, found, place } of violations) {
    yield `${check}: ${place}: found ${found}, expected ${expected}\n`
  }
  if (notes.length > 0) yield "\n"
  for (const note of notes) yield `${note}\n`
  yield `\n${isSound ? "No violations found" : "Violations found"} in ${took}\n`
}
