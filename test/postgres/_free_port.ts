import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/*
 * Below the ports that systems assign, so that the port of a server is not assigned while it
 * restarts.
 */
const portMin = 12_000
const portMax = 32_000

/**
 * Returns a port of the loopback interface that is currently free; another process may take it
 * next.
 */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < 200; tries++) {
    const port = randomInt(portMin, portMax)
    if (await isFree(port)) return port
  }
  throw new Error(
    `No free port found between ${portMin} and ${portMax} in 200 attempts; end some of the servers on this machine`
  )
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.on("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
