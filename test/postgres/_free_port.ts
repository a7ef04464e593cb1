import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/*
 * Below the ports that systems hand out by themselves, so that nobody is given the port of a server while it is down between
 * a kill and a restart.
 */
const portMin = 12_000
const portMax = 32_000

/** A port of the loopback interface that nobody listens on at this moment; it may be taken at the next one. */
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
