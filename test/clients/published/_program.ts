import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

/* The program as `npm start` runs it, over the simulated network with the published identity. */

const program = join(import.meta.dirname, "../../../app/main.js")
const startTimeoutMs = 180_000

/** The settings with which the published clients work. */
export const identity = ["--prefix", "hez", "--network-name", "Hermez Network"]

/** Returns a port of the loopback interface that is free now. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** The settings of the simulated network, whose coordinators have the URL of the program. */
export const simulated = (port: number): ReadonlyArray<string> => [
  ...identity,
  "--public-url",
  `http://localhost:${port}`,
  "--transactions=300"
]

/**
 * Starts the program, and waits until it listens and its simulated network is live; returns the
 * function that stops it.
 */
export const startProgram = async (
  port: number,
  words: ReadonlyArray<string>
): Promise<() => Promise<void>> => {
  const flags = ["--port", String(port), "--admin-port=off", "--no-request-log"]
  const child: ChildProcess = spawn(process.execPath, [program, "serve", ...flags, ...words], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = once(child, "exit")
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  let output = ""
  await new Promise<void>((resolve, reject) => {
    const fail = () => reject(new Error(`The program did not start: ${output}`))
    const timeout = setTimeout(() => {
      child.kill("SIGKILL")
      fail()
    }, startTimeoutMs)
    const read = (chunk: Buffer) => {
      output += String(chunk)
      const isComplete = words.includes("--feed") ||
        /The simulated network (?:is live|adds no blocks)/u.test(output)
      if (!output.includes("Listening on ") || !isComplete) return
      clearTimeout(timeout)
      resolve()
    }
    child.stdout!.on("data", read)
    child.stderr!.on("data", read)
    child.once("exit", fail)
  })
  return stop
}

/** Runs a command of the program and returns what it prints. */
export const runCommand = async (...words: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  let output = ""
  child.stdout.on("data", (chunk) => output += String(chunk))
  const [code] = await once(child, "close") as [number | null]
  if (code !== 0) throw new Error(`${words.join(" ")} exits with ${code}`)
  return output.trim()
}
