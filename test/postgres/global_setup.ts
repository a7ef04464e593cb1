import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestProject } from "vitest/node"
import { memoryPlace } from "./memory_place.ts"
import type { Cluster, makeTemplate } from "./cluster.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test file asks for the URL of the server that all share and for a template, and what the names of this run's schemas have in common. */
    readonly postgres: { readonly door: string; readonly run: string }
  }
}

/**
 * One server for all test files of a run, and a template for those that start their own. Each is made when the first of them asks, so that a
 * run that needs no database does not pay for one, nor for loading the client: the door that they ask at is a listener in the process of vitest.
 */
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  let template: ReturnType<typeof makeTemplate> | null = null
  let shared: Promise<Cluster> | null = null
  const templateOfAll = () =>
    template ??= import("./cluster.ts").then(({ makeTemplate }) => makeTemplate(memoryPlace()))
  const answers: { readonly [name: string]: () => Promise<string> } = {
    server: async () =>
      (await (shared ??= import("./cluster.ts").then(async ({ startCluster }) =>
        // a gigabyte of log is a waste of memory
        startCluster({
          durable: false,
          settings: { max_wal_size: "256MB" },
          place: memoryPlace(),
          template: await templateOfAll()
        })
      ))).url,
    template: async () => JSON.stringify(await templateOfAll())
  }
  const path = `/${randomBytes(16).toString("hex")}` // other accounts of the machine do not know it
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
    for (const made of [shared, template]) await made?.then(({ remove }) => remove(), () => {}) // why it was not made was told to who asked
    if (process.env.DATABASE_URL) {
      await (await import("./_schema.ts")).dropSchemas(process.env.DATABASE_URL, run)
    }
  }
}
