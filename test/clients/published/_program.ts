import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { serve, serveLive, start } from "../../program/_program.ts"

/* The program as `npm start` runs it, over the simulated network with the published identity. */

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
  const start = words.includes("--feed") ? serve : serveLive
  const { ended, signal } = await start(...flags, ...words)
  return async () => {
    signal("SIGTERM")
    await ended
  }
}

/** Runs a command of the program and returns what it prints. */
export const runCommand = async (...words: ReadonlyArray<string>): Promise<string> => {
  const { ended, output } = start(words)
  const [code] = await ended
  if (code !== 0) throw new Error(`${words.join(" ")} exits with ${code}: ${output()}`)
  return output().trim()
}
