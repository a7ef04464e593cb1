import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestProject } from "vitest/node"
import type { Cluster } from "./cluster.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test file asks for the URL of the server that all share, and what the names of this run's schemas have in common. */
    readonly postgres: { readonly door: string; readonly run: string }
  }
}

/**
 * One server for all test files of a run. It starts when the first of them asks, so that a run that needs no database does not
 * pay for one, nor for loading the client: the door that they ask at is a listener in the process of vitest.
 */
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  let shared: Promise<Cluster> | null = null
  const path = `/${randomBytes(16).toString("hex")}` // other accounts of the machine do not know it
  const door = createServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end()
    shared ??= import("./cluster.ts").then(({ startCluster }) => startCluster({ durable: false }))
    shared.then(({ url }) => response.end(url), (error: Error) => response.writeHead(500).end(error.message))
  })
  door.listen(0, "127.0.0.1").unref()
  await once(door, "listening")
  const run = randomBytes(4).toString("hex")
  provide("postgres", { door: `http://127.0.0.1:${(door.address() as AddressInfo).port}${path}`, run })
  return async () => {
    door.close()
    if (shared !== null) await shared.then((cluster) => cluster.remove(), () => {}) // why it did not start was told to who asked
    if (process.env.DATABASE_URL) await (await import("./_schema.ts")).dropSchemas(process.env.DATABASE_URL, run)
  }
}
