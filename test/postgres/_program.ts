import { type ChildProcessByStdio, spawn } from "node:child_process"
import { join } from "node:path"
import type { Readable } from "node:stream"
import type { Account } from "./_account.ts"

/** How the programs of PostgreSQL are run. */
export interface Surroundings {
  /** Null if they run as the tests do. */
  readonly account: Account | null
  /** The directory of everything that the server writes; the working directory of its programs. */
  readonly directory: string
}

export interface Program {
  readonly pid: number
  readonly process: ChildProcessByStdio<null, Readable, Readable>
  /** Returns the end of its output. */
  readonly output: () => string
  /**
   * Resolves when the program and all processes that it started have ended, since they hold its
   * output open; with the reason, or null after exit code 0.
   */
  readonly ended: Promise<string | null>
}

/** The directory where programs look for shared libraries first; it need not exist. */
export const librariesIn = (directory: string): string => join(directory, "libraries")

const outputMax = 20_000

/**
 * Starts a program of PostgreSQL in its own session, so that Ctrl-C for the tests does not reach
 * it.
 */
export const startProgram = (
  path: string,
  parameters: ReadonlyArray<string>,
  { account, directory }: Surroundings
): Program => {
  // without our environment: variables that begin with PG would change the programs; messages are
  // parsed, in English
  const libraries = librariesIn(directory)
  const env = {
    PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin`,
    LC_ALL: "C",
    LD_LIBRARY_PATH: libraries,
    DYLD_LIBRARY_PATH: libraries
  }
  const child = spawn(path, parameters, {
    cwd: directory,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    ...account === null ? {} : { uid: account.uid, gid: account.gid }
  })
  let output = ""
  const note = (text: string) => {
    output = (output + text).slice(-outputMax)
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", note)
  const ended = new Promise<string | null>((resolve) => {
    child.on("error", (error) => resolve(error.message))
    child.on(
      "close",
      (code, signal) =>
        resolve(code === 0 ? null : signal === null ? `exit code ${code}` : `signal ${signal}`)
    )
  })
  return { pid: child.pid ?? 0, process: child, output: () => output.trim(), ended }
}

/**
 * Returns the output of a program when it has ended; rejects with the output in the message if it
 * fails.
 */
export const runProgram = async (
  path: string,
  parameters: ReadonlyArray<string>,
  surroundings: Surroundings,
  onStart = (_pid: number) => {}
): Promise<string> => {
  const program = startProgram(path, parameters, surroundings)
  if (program.pid > 0) onStart(program.pid)
  const reason = await program.ended
  if (reason === null) return program.output()
  throw new Error(`"${path}" ended with ${reason}; it wrote: ${program.output() || "nothing"}`)
}
