import { randomBytes } from "node:crypto"
import { chownSync, mkdtempSync } from "node:fs"
import { rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unprivilegedAccount } from "./_account.ts"
import { freePort } from "./_free_port.ts"
import { findInstallation, type Installation } from "./_installation.ts"
import { type Program, runProgram, type Surroundings } from "./_program.ts"
import { PortTaken, type ServerPlan, startServer } from "./_server.ts"
import { execute, urlOfDatabase } from "./_statements.ts"
import { quickVerifier } from "./_verifier.ts"
import { startWatchdog, type Watchdog } from "./_watchdog.ts"

export interface ClusterOptions {
  /**
   * If true, a commit waits for the disk, as in production; true by default. If false, commits are
   * faster and are lost if the server is killed.
   */
  readonly durable?: boolean
  /**
   * Other settings of the server, as in its configuration file; by default with memory for a few
   * small tables.
   */
  readonly settings?: Readonly<Record<string, string>>
  /** The parent of its directory; the system's directory for temporary files by default. */
  readonly parentDirectory?: string
  /**
   * The parent of a directory for its log, on which commits wait; by default the log is with the
   * data.
   */
  readonly logParentDirectory?: string
  /** The initial data; a new `initdb` by default, which takes a second. */
  readonly template?: Template
}

/** Data of a server that is not running, which any number of clusters can copy. */
export interface Template {
  readonly dataDir: string
  /** The password of the superuser, in each copy. */
  readonly password: string
}

/**
 * A PostgreSQL server of the tests. Its data and its processes are removed by `remove`, and also
 * when the process that started it ends in any way, `kill -9` included.
 */
export interface Cluster extends AsyncDisposable {
  /** The URL of the database `postgres`, as superuser. Restarts do not change it. */
  readonly url: string
  /** The port on 127.0.0.1. Restarts do not change it. */
  readonly port: number
  readonly dataDir: string
  /** The id of the server's first process; null while the server is down. */
  readonly pid: number | null
  /** Disconnects all clients, rolls their transactions back and shuts down. The data stay. */
  readonly stop: () => Promise<void>
  /**
   * Sends SIGKILL to the server's first process; resolves when its children have ended too. A child
   * that executes a statement notices only if the statement waits or ends, and so may still commit
   * it.
   */
  readonly kill: () => Promise<void>
  /** Starts the server again on the same data and port; stops it first if it is running. */
  readonly restart: () => Promise<void>
  /** Creates an empty database and returns its URL. */
  readonly createDatabase: () => Promise<string>
  /** Stops the server and removes its data. The cluster cannot be used afterwards. */
  readonly remove: () => Promise<void>
}

/**
 * Creates a template. It is removed by `remove`, and when the process that created it ends in any
 * way.
 */
export const makeTemplate = (
  parentDirectory = tmpdir()
): Promise<Template & { readonly remove: () => Promise<void> }> =>
  inOwnDirectory(
    parentDirectory,
    async (surroundings, { release, watch }) => ({
      ...await initialize(await findInstallation(surroundings), surroundings, watch, quickVerifier),
      remove: release
    })
  )

/**
 * Starts a PostgreSQL with an empty data directory. Text sorts as in English, not by bytes, as in
 * most databases in production: code that relies on the order of bytes must say so. Rejects with
 * the output of the programs if PostgreSQL does not start.
 */
export const startCluster = (
  { durable = true, logParentDirectory, parentDirectory = tmpdir(), settings = {}, template }:
    ClusterOptions = {}
): Promise<Cluster> =>
  inOwnDirectory(parentDirectory, async (surroundings, watchdog, logDirectory) => {
    const installation = await findInstallation(surroundings)
    const { dataDir, password } = template === undefined
      ? await initialize(installation, surroundings, watchdog.watch)
      : await copyOf(template, surroundings, watchdog.watch)
    if (logDirectory !== null) await moveLog(dataDir, logDirectory, surroundings, watchdog.watch)
    const plan = { installation, dataDir, durable, settings, ...surroundings }

    let { port, server } = await startSomewhere(plan, watchdog.watch)
    let running: Program | null = server
    const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
    const end = async (signal: "SIGINT" | "SIGKILL") => {
      if (running === null) return
      running.process.kill(signal)
      await running.ended
      running = null
      watchdog.watch(null)
    }
    const stop = () => end("SIGINT")
    const remove = async () => {
      await stop()
      await watchdog.release()
    }
    return {
      url,
      port,
      dataDir,
      stop,
      remove,
      [Symbol.asyncDispose]: remove,
      get pid() {
        return running?.pid ?? null
      },
      kill: () => end("SIGKILL"),
      restart: async () => {
        await stop()
        running = await startServer({ ...plan, port }, watchdog.watch)
      },
      createDatabase: async () => {
        const name = `test_${randomBytes(8).toString("hex")}`
        await execute(url, `CREATE DATABASE ${name}`)
        return urlOfDatabase(url, name)
      }
    }
  }, logParentDirectory)

/**
 * Creates a directory for the account of the server, and one for its log if that has another place;
 * removes them if the effect fails.
 */
const inOwnDirectory = async <A>(
  parentDirectory: string,
  make: (surroundings: Surroundings, watchdog: Watchdog, logDirectory: string | null) => Promise<A>,
  logParentDirectory?: string
): Promise<A> => {
  const account = unprivilegedAccount()
  const directories = [
    parentDirectory,
    ...logParentDirectory === undefined || logParentDirectory === parentDirectory
      ? []
      : [logParentDirectory]
  ]
    .map((each) => mkdtempSync(join(each, "rollup-postgres-")))
  const [directory, logDirectory = null] = directories as [string, string?]
  const watchdog = startWatchdog(...directories)
  try {
    if (account !== null) {
      for (const each of directories) chownSync(each, account.uid, account.gid)
    }
    return await make({ account, directory }, watchdog, logDirectory)
  } catch (error) {
    watchdog.watch(null) // our programs have ended, and another process may get the same id
    await watchdog.release()
    throw error
  }
}

const dataIn = (directory: string): string => join(directory, "data")

/**
 * The password keeps out other accounts of the machine, which would otherwise get our rights
 * through a superuser of the server.
 */
const initialize = async (
  installation: Installation,
  surroundings: Surroundings,
  watch: Watchdog["watch"],
  storedForm = (password: string): string => password
): Promise<Template> => {
  const password = randomBytes(16).toString("hex")
  const passwordFile = join(surroundings.directory, "password")
  await writeFile(passwordFile, storedForm(password), { mode: 0o600 })
  if (surroundings.account !== null) {
    chownSync(passwordFile, surroundings.account.uid, surroundings.account.gid)
  }
  const dataDir = dataIn(surroundings.directory)
  await runProgram(
    join(installation, "initdb"),
    [
      "-D",
      dataDir,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=icu",
      "--icu-locale=en-US",
      "--no-sync" // the kernel keeps written data, and the power stays on
    ],
    surroundings,
    watch
  )
  watch(null)
  await rm(passwordFile)
  return { dataDir, password }
}

/** Runs as the account of the server, which then owns the copy; also copies a log in another place. */
const copyOf = async (
  { dataDir: original, password }: Template,
  surroundings: Surroundings,
  watch: Watchdog["watch"]
): Promise<Template> => {
  const dataDir = dataIn(surroundings.directory)
  await runProgram("cp", ["-RLp", original, dataDir], surroundings, watch)
  watch(null)
  return { dataDir, password }
}

/** The server finds its log by a link. */
const moveLog = async (
  dataDir: string,
  logDirectory: string,
  surroundings: Surroundings,
  watch: Watchdog["watch"]
): Promise<void> => {
  const [before, after] = [join(dataDir, "pg_wal"), join(logDirectory, "pg_wal")]
  await runProgram("mv", [before, after], surroundings, watch)
  watch(null)
  await symlink(after, before)
}

/** Uses a free port; another process may take it before the server does. */
const startSomewhere = async (
  plan: Omit<ServerPlan, "port">,
  watch: (pid: number | null) => void
): Promise<{ port: number; server: Program }> => {
  for (let tries = 1;; tries++) {
    const port = await freePort()
    try {
      return { port, server: await startServer({ ...plan, port }, watch) }
    } catch (error) {
      if (!(error instanceof PortTaken) || tries === 10) throw error
    }
  }
}
