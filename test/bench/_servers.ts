import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** A server in its own process, on the first core if the system allows it. */
export interface BenchServer {
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** The prefix of a command that runs on the first core. */
export const pinned = existsSync("/usr/bin/taskset") ? ["taskset", "-c", "0"] : []

/**
 * Starts a script that prints `listening <port>` when it is ready; on one core unless it has
 * threads for all of them.
 */
export const startServer = async (
  /** The URL of the script. */
  script: string,
  args: ReadonlyArray<string>,
  cores: "one" | "all" = "one"
): Promise<BenchServer> => {
  const [command, ...rest] = [
    ...(cores === "one" ? pinned : []),
    process.execPath,
    fileURLToPath(script),
    ...args
  ]
  const child = spawn(command!, rest, { stdio: ["ignore", "pipe", "inherit"] })
  return { port: await portOf(child), pid: child.pid!, stop: () => stopped(child) }
}

/**
 * Returns the processor time of a process in milliseconds, with the resolution of Linux (10 ms);
 * NaN on other systems.
 */
export const cpuMs = (pid: number | undefined): number => {
  const file = `/proc/${pid}/stat`
  if (pid === undefined || !existsSync(file)) return NaN
  const [user, system] = readFileSync(file, "utf8").split(") ")[1]!.split(" ").slice(11, 13).map(
    Number
  )
  return (user! + system!) * 10
}

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const port = /listening (\d+)/u.exec(line)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.on(
      "exit",
      (code) => reject(new Error(`The server ended with ${code} before it listened`))
    )
  })

const stopped = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.removeAllListeners("exit")
    child.on("exit", () => resolve())
    child.kill("SIGTERM")
  })
