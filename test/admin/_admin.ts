import { Context, Effect, Layer, Redacted } from "effect"
import { type Admin, type AdminOptions, openAdmin } from "../../adapters/admin/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import type { Node } from "../../app/node/layers.ts"
import { memoryNode } from "../_memory_node.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { type FeedRecord, type Health, Monitor, writeFeedLine } from "../../core/mod.ts"

/* A node in memory with its admin listener, reached over HTTP. */

export const token = "0123456789abcdef"

const simulation = simulate({ seed: "1", placeholderRoots: true })
export const genesis = simulation.genesis

/** The first records of a network: blocks and prices. */
export const records: ReadonlyArray<FeedRecord> = Array.from(
  { length: 60 },
  () => simulation.next()
).filter(({ kind }) => kind === "block" || kind === "prices")
const blockRecords = records.filter((record) => record.kind === "block")
export const blocks = blockRecords.map(({ block }) => block)

/** Returns the records of the blocks from one position to another. */
export const blockFeed = (from: number, to: number): ReadonlyArray<FeedRecord> =>
  blockRecords.slice(from, to)

export const linesOf = (...records: ReadonlyArray<FeedRecord>): string =>
  records.map((record) => `${writeFeedLine(record)}\n`).join("")

/** Returns a node in memory with other methods of one of its services. */
export const nodeWith = <I extends Node, S extends object>(
  key: Context.Key<I, S>,
  methods: (service: S) => Partial<S>
): Layer.Layer<Node> =>
  Layer.flatMap(memoryNode({ genesis }), (node) => {
    const service = Context.get(node, key)
    return Layer.succeedContext(Context.add(node, key, { ...service, ...methods(service) }))
  })

/** Opens an admin listener and a node, in memory by default, and attaches it. */
export const watched = <E>(
  options: Partial<AdminOptions> = {},
  layer: Layer.Layer<Node, E> = memoryNode({ genesis })
) =>
  Effect.gen(function*() {
    const monitor = options.monitor ?? openMonitor()
    const admin = yield* openAdmin({
      port: 0,
      token: Redacted.make(token),
      ...options,
      monitor
    })
    const node = yield* Effect.provideService(Layer.build(layer), Monitor, monitor)
    yield* admin.attachNode(node)
    return { admin, node }
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

/** The headers of a request that posts lines with the token. */
export const lineHeaders = {
  authorization: `Bearer ${token}`,
  "content-type": "application/x-ndjson"
}

/** The start of such a request to `/feed`, as bytes; headers of the body follow. */
export const postHead =
  `POST /feed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\n`

export const portOf = ({ url }: Admin): number => Number(new URL(url).port)

/** Posts lines with the token. */
export const post = (
  admin: Admin,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: { readonly [name: string]: string } = {}
) => ask(admin, path, { method: "POST", body, headers: { ...lineHeaders, ...headers } })

/** Sends a GET request with the token. */
export const get = (admin: Admin, path: string) =>
  ask(admin, path, { headers: { authorization: `Bearer ${token}` } })

/** The last block and the head of a ledger. */
export interface Position {
  readonly block: { readonly number: string; readonly hash: string }
  readonly head: object | null
  readonly batchNum: number | null
  readonly version: number
}

/** The answer to a posted feed: the counts, and the members of a refusal. */
export interface Report {
  readonly status: number
  readonly records: number
  readonly applied: number
  readonly held: number
  readonly heldLines: ReadonlyArray<{ readonly from: number; readonly to: number }>
  readonly ledger: Position
  readonly type: string
  readonly message: string
  readonly line: number
  readonly errors: ReadonlyArray<
    { readonly pointer: string; readonly [member: string]: unknown }
  >
}

/** Posts records of a feed, maybe with the hash of the block that is expected to be the last one. */
export const feed = (
  admin: Admin,
  records: ReadonlyArray<FeedRecord>,
  feedAfter?: string
): Effect.Effect<Report> =>
  Effect.map(
    post(
      admin,
      "/feed",
      linesOf(...records),
      feedAfter === undefined ? {} : { "feed-after": feedAfter }
    ),
    ({ json, status }) => ({ ...json as Report, status })
  )

/** Returns the last block and the head of the ledger. */
export const positionOf = (admin: Admin): Effect.Effect<Position> =>
  Effect.map(get(admin, "/feed"), ({ json }) => json)

/** The answer of `/readyz`. */
export interface Ready {
  readonly status: number
  readonly state: string
  readonly checks: { readonly [name: string]: Health }
}

export const readinessOf = (admin: Admin): Effect.Effect<Ready> =>
  Effect.map(ask(admin, "/readyz"), ({ json, status }) => ({ ...json as Ready, status }))
