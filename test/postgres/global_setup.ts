import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestProject } from "vitest/node"
import { memoryDirectory } from "./memory_directory.ts"
import type { Cluster, makeTemplate } from "./cluster.ts"

declare module "vitest" {
  interface ProvidedContext {
    /**
     * The address where a test file asks for the URL of the shared server and for a template, and
     * the common part of the names of this run's schemas.
     */
    readonly postgres: { readonly door: string; readonly run: string }
  }
}

/**
 * Provides one server for all test files of a run, and a template for those that start their own.
 * Each is created on the first request, so that a run without a database does not pay for one. The
 * requests go to a listener in the process of vitest.
 */
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  let template: ReturnType<typeof makeTemplate> | null = null
  let shared: Promise<Cluster> | null = null
  const templateOfAll = () =>
    template ??= import("./cluster.ts").then(({ makeTemplate }) => makeTemplate(memoryDirectory()))
  const answers: { readonly [name: string]: () => Promise<string> } = {
    server: async () =>
      (await (shared ??= import("./cluster.ts").then(async ({ startCluster }) =>
        // less log than the default of a gigabyte saves memory
        startCluster({
          durable: false,
          settings: { max_wal_size: "256MB" },
          parentDirectory: memoryDirectory(),
          template: await templateOfAll()
        })
      ))).url,
    template: async () => JSON.stringify(await templateOfAll())
  }
  const path = `/${randomBytes(16).toString("hex")}` // a secret path keeps out other accounts of the machine
  const door = createServer((request, response) => {
    const answer = request.url?.startsWith(`${path}/`)
      ? answers[request.url.slice(path.length + 1)]
      : undefined
    if (answer === undefined) return void response.writeHead(404).end()
    answer().then(
      (body) => response.end(body),
      (error: Error) => response.writeHead(500).end(error.message)
    )
  })
  door.listen(0, "127.0.0.1").unref()
  await once(door, "listening")
  const run = randomBytes(4).toString("hex")
  provide("postgres", {
    door: `http://127.0.0.1:${(door.address() as AddressInfo).port}${path}`,
    run
  })
  return async () => {
    door.close()
    for (const made of [shared, template]) await made?.then(({ remove }) => remove(), () => {}) // the requester got the reason if it was not created
    if (process.env.DATABASE_URL) {
      await (await import("./_schema.ts")).dropSchemas(process.env.DATABASE_URL, run)
    }
  }
}
