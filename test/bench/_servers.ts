import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import type { Server } from "node:http"
import { cpus, totalmem } from "node:os"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** What results say of their run. */
export const today = new Date().toISOString().slice(0, 10)
export const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${
  Math.round(totalmem() / 2 ** 30)
} GiB`

/** A server in its own process. */
export interface BenchServer extends AsyncDisposable {
  readonly port: number
  readonly pid: number
}

/** Returns the prefix of a command that runs on one core, if the system allows it. */
export const onCore = (core: number): ReadonlyArray<string> =>
  existsSync("/usr/bin/taskset") ? ["taskset", "-c", String(core)] : []

export interface ServerOptions {
  /** A server is on the first core unless it has threads for all of them. */
  readonly cores?: "one" | "all"
  readonly env?: NodeJS.ProcessEnv
}

/** Starts a script, or the program, and waits until it has printed its port. */
export const startServer = async (
  /** The URL of the script. */
  script: string,
  args: ReadonlyArray<string>,
  { cores = "one", env = process.env }: ServerOptions = {}
): Promise<BenchServer> => {
  const [command, ...words] = [
    ...cores === "one" ? onCore(0) : [],
    process.execPath,
    fileURLToPath(script),
    ...args
  ]
  const child = spawn(command!, words, { stdio: ["ignore", "pipe", "inherit"], env })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  const lines = createInterface({ input: child.stdout })
  const port = await new Promise<number>((resolve, reject) => {
    lines.on("line", (line) => {
      const port = /(?:listening |Listening on http:\/\/\S+:)(\d+)/u.exec(line)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    void ended.then(([code]) => reject(new Error(`The server ended with ${code}: ${script}`)))
  })
  return { port, pid: child.pid!, [Symbol.asyncDispose]: stop }
}

const nodeScript = import.meta.resolve("./_node_server.ts")

/** Starts our application; `_node_server.ts` says what the arguments mean. */
export const startNode = (
  [kind, ...args]: readonly [kind: string, ...args: ReadonlyArray<string | number>]
): Promise<BenchServer> =>
  startServer(nodeScript, [kind, ...args.map(String)], { cores: kind === "posts" ? "all" : "one" })

/** Listens on a free port and prints it, in the script of a peer. */
export const listen = (server: Server): void => {
  server.listen(0, "127.0.0.1", () => {
    console.log(`listening ${(server.address() as { port: number }).port}`)
  })
  process.on("SIGTERM", () => process.exit(0))
}

/**
 * Returns the processor time of a process in milliseconds, with the resolution of Linux (10 ms);
 * NaN on other systems.
 */
export const cpuMs = (pid: number): number => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return NaN
  const fields = readFileSync(file, "latin1").split(") ")[1]!.split(" ")
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** Returns a member of the status of a process in megabytes: its memory, or the most that it had. */
export const memoryMB = (pid: number, member: "VmRSS" | "VmHWM" = "VmRSS"): number => {
  const status = readFileSync(`/proc/${pid}/status`, "latin1")
  return Math.round(Number(new RegExp(`${member}:\\s+(\\d+)`, "u").exec(status)?.[1]) * 1.024e-3)
}
