import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import {
  type Admin,
  type AdminError,
  type AdminOptions,
  openAdmin
} from "../../adapters/admin/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import type { Node, NodeOptions } from "../../app/node/layers.ts"
import { memoryNode } from "../_memory_node.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { type FeedRecord, Monitor, writeFeedLine } from "../../core/mod.ts"

/* A node in memory with its admin listener, reached over HTTP. */

export const token = "0123456789abcdef"

const simulation = simulate({ seed: "1" })
export const genesis = simulation.genesis

/** The first records of a network: blocks and prices. */
export const records: ReadonlyArray<FeedRecord> = Array.from(
  { length: 60 },
  () => simulation.next()
).filter(({ kind }) => kind === "block" || kind === "prices")
export const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])

export const linesOf = (...records: ReadonlyArray<FeedRecord>): string =>
  records.map((record) => `${writeFeedLine(record)}\n`).join("")

export interface Watched {
  readonly admin: Admin
  readonly node: Context.Context<Node>
}

/** Opens a serving node and its admin listener. */
export const watched = (
  admin: Partial<AdminOptions> = {},
  node: Partial<NodeOptions> = {}
): Effect.Effect<Watched, AdminError, Scope.Scope> =>
  Effect.gen(function*() {
    const monitor = admin.monitor ?? openMonitor()
    const opened = yield* openAdmin({ port: 0, token: Redacted.make(token), ...admin, monitor })
    const built = yield* Effect.provideService(
      Layer.build(memoryNode({ genesis, ...node })),
      Monitor,
      monitor
    )
    yield* opened.attachNode(built)
    return { admin: opened, node: built }
  })

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON. */
  readonly json: never
}

export const ask = (
  admin: Admin,
  path: string,
  init: RequestInit & { readonly duplex?: "half" } = {}
): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(admin.url + path, init)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text) as never
      }
    }
  })

/** Posts lines with the token. */
export const post = (
  admin: Admin,
  path: string,
  body: string,
  headers: { readonly [name: string]: string } = {}
) =>
  ask(admin, path, {
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/x-ndjson",
      ...headers
    }
  })

/** Sends a GET request with the token. */
export const get = (admin: Admin, path: string) =>
  ask(admin, path, { headers: { authorization: `Bearer ${token}` } })
