import { join } from "node:path"
import type { Installation } from "./_installation.ts"
import { type Program, startProgram, type Surroundings } from "./_program.ts"

export interface ServerPlan extends Surroundings {
  readonly installation: Installation
  readonly dataDir: string
  readonly port: number
  readonly durable: boolean
  readonly settings: Readonly<Record<string, string>>
}

/** Another process took the port between its choice and the start of the server. */
export class PortTaken extends Error {}

const startTimeoutMs = 100_000

/**
 * Starts a server and waits until it accepts connections, of readers if it is a standby; rejects with its output if it does not.
 */
export const startServer = async (
  plan: ServerPlan,
  watch: (pid: number | null) => void
): Promise<Program> => {
  const settings = Object.entries(settingsOf(plan)).flatMap((
    [name, value]
  ) => ["-c", `${name}=${value}`])
  const server = startProgram(join(plan.installation, "postgres"), [
    "-D",
    plan.dataDir,
    ...settings
  ], plan)
  if (server.pid > 0) watch(server.pid)
  const outcome = await new Promise<string | null>((resolve) => {
    const timer = setTimeout(
      () => resolve(`it was not ready after ${startTimeoutMs} ms`),
      startTimeoutMs
    )
    const settle = (reason: string | null) => {
      clearTimeout(timer)
      server.process.stderr.off("data", look)
      resolve(reason)
    }
    const look = () => {
      if (/ready to accept (?:read-only )?connections/u.test(server.output())) settle(null)
    }
    server.process.stderr.on("data", look)
    void server.ended.then((reason) => settle(`it ended with ${reason ?? "exit code 0"}`))
  })
  if (outcome === null) return server
  server.process.kill("SIGQUIT")
  await server.ended
  watch(null)
  const output = server.output()
  const message = `PostgreSQL did not start on port ${plan.port}: ${outcome}; it wrote: ${
    output || "nothing"
  }`
  throw /Address already in use/u.test(output) ? new PortTaken(message) : new Error(message)
}

const settingsOf = (
  { port, durable, settings }: ServerPlan
): Readonly<Record<string, string | number>> => ({
  listen_addresses: "127.0.0.1",
  port,
  unix_socket_directories: "",
  max_connections: 200, // many test files at once, with a pool each
  shared_buffers: "32MB",
  dynamic_shared_memory_type: "mmap", // in the data directory: a killed server leaves nothing in /dev/shm
  logging_collector: "off",
  log_destination: "stderr",
  ...durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" },
  ...settings
})
