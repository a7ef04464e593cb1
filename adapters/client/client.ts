import { operations } from "./generated/mod.ts"
import { sendWithRetries } from "./_exchange.ts"
import { writeExact } from "./_exact_json.ts"
import { pagesOf } from "./_pages.ts"
import { type Local, localName } from "./local_name.ts"
import { type Answer, type Outcome, RequestFailed } from "./outcome.ts"
import {
  baseUrl,
  type CallOptions,
  type ClientOptions,
  exchangeOptionsOf,
  type RevisionName
} from "./options.ts"
import type { Revisions } from "./generated/revisions/mod.ts"

/** The types of an operation. */
export interface Declared {
  readonly takes: unknown
  readonly answers: unknown
}

/** The arguments of an operation; optional if no parameter is required. */
export type ArgumentsOf<O extends Declared, Prefix extends string> = Record<never, never> extends
  O["takes"] ? [parameters?: Local<O["takes"], Prefix>] : [parameters: Local<O["takes"], Prefix>]

/** An operation as a function. Its promise never rejects: failures are values. */
export type Call<O extends Declared, Prefix extends string> = (
  ...parameters: [...ArgumentsOf<O, Prefix>, options?: CallOptions]
) => Promise<Outcome<Local<O["answers"], Prefix>>>

interface Listed extends Declared {
  readonly item: unknown
}

/** The names of the operations that return pages. */
export type ListsOf<Operations> = {
  readonly [Id in keyof Operations]: Operations[Id] extends Listed ? Id
    : never
}[keyof Operations]
/** The types of one of these operations. */
export type ListOf<Operations, Id extends keyof Operations> = Operations[Id] extends
  infer O extends Listed ? O : never

/** Iterates over lists page by page. */
export interface Paged<Operations, Prefix extends string> {
  /**
   * Yields every item of a list from `fromItem` on, requesting pages of `limit` items (200 by
   * default). An itemId is never reused, so no item is skipped and none is repeated, also if the
   * chain is rolled back in between: items before the rollback may become invalid, and their
   * replacements follow with greater itemIds. Throws RequestFailed for a permanent failure.
   *
   * ```ts
   * import { rollupClient } from "rollup-node-api/client"
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   *
   * const simulation = simulate({ seed: 1 })
   * const node = await openNode({ genesis: simulation.genesis })
   * for (let i = 0; i < 20; i++) await node.applyRecord(simulation.next())
   * const client = rollupClient({ url: "http://node", fetch: node.fetch })
   *
   * const symbols: Array<string> = []
   * for await (const token of client.items("getTokens", { limit: 2 })) symbols.push(token.symbol)
   * console.log(symbols[0], new Set(symbols).size === symbols.length) // => ETH true
   * await node.close()
   * ```
   */
  readonly items: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: [...ArgumentsOf<ListOf<Operations, Id>, Prefix>, options?: CallOptions]
  ) => AsyncGenerator<Local<ListOf<Operations, Id>["item"], Prefix>, void, void>
  /**
   * Yields the pages themselves, each with the snapshot that it shows. Bounds and errors as for
   * `items`.
   */
  readonly pages: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: [...ArgumentsOf<ListOf<Operations, Id>, Prefix>, options?: CallOptions]
  ) => AsyncGenerator<Answer<Local<ListOf<Operations, Id>["answers"], Prefix>>, void, void>
}

/**
 * The operations of a revision as functions, with the parameter and property names of the network.
 */
export type Client<Revision extends RevisionName = "later", Prefix extends string = "zk"> =
  & {
    readonly [Id in keyof Revisions[Revision]]: Revisions[Revision][Id] extends Declared
      ? Call<Revisions[Revision][Id], Prefix>
      : never
  }
  & Paged<Revisions[Revision], Prefix>

/**
 * Returns a client of one server, which needs only `fetch`. Calls resolve to an answer or to a
 * failure and never reject. Temporary failures are retried, after the server's `Retry-After` or
 * with exponential backoff. Answers are cached and revalidated. Integers keep all their digits. A
 * filter that the revision does not have is a type error.
 *
 * ```ts
 * import { rollupClient, valueOf } from "rollup-node-api/client"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const client = rollupClient({ url: "http://node", fetch: node.fetch })
 *
 * const { symbol } = valueOf(await client.getToken({ id: 0 }))
 * const unknown = await client.getToken({ id: 7 })
 * console.log(symbol, unknown.ok ? "" : unknown.message) // => ETH There is no token with id 7
 * await node.close()
 * ```
 *
 * Throws a TypeError if `url` is not a URL.
 */
export const rollupClient = <
  const Revision extends RevisionName = "later",
  const Prefix extends string = "zk"
>(
  options: ClientOptions<Revision, Prefix>
): Client<Revision, Prefix> => {
  const { prefix = "zk" } = options
  const base = baseUrl(options)
  const exchangeOptions = exchangeOptionsOf(options)
  const call = (id: keyof typeof operations) => {
    const { list, path, posts, puts }: Operation = operations[id]
    return (parameters: unknown = {}, { signal }: CallOptions = {}) => {
      if (posts) {
        const body = textOf(parameters)
        return sendWithRetries(exchangeOptions, { url: base + path, method: "POST", body, signal })
      }
      const { body, ...others } = parameters as Values
      return sendWithRetries(exchangeOptions, {
        url: base + target(path, puts ? others : parameters as Values, prefix),
        ...puts ? { method: "PUT", body: textOf(body) } : {},
        signal,
        list
      })
    }
  }
  const calls = Object.fromEntries(
    (Object.keys(operations) as Array<keyof typeof operations>).map((id) => [id, call(id)])
  )
  const pages = (id: keyof typeof operations, parameters: Values = {}, options: CallOptions = {}) =>
    pagesOf((operations[id] as Operation).list!, async (parameters) => {
      const outcome = await calls[id]!(parameters, options)
      if (!outcome.ok) throw new RequestFailed(outcome)
      return outcome as Answer<never>
    }, parameters)
  async function* items(id: keyof typeof operations, parameters?: Values, options?: CallOptions) {
    for await (const { value } of pages(id, parameters, options)) {
      yield* value[(operations[id] as Operation).list!]!
    }
  }
  return { ...calls, pages, items } as unknown as Client<Revision, Prefix>
}

interface Operation {
  readonly path: string
  readonly list?: string
  readonly posts?: boolean
  readonly puts?: boolean
}
type Values = { readonly [name: string]: unknown }

/** Returns the JSON of a body. */
const textOf = (body: unknown): string => typeof body === "string" ? body : writeExact(body)

/**
 * Returns path and query. Parameters of the path are percent-encoded there, all others go to the
 * query.
 */
const target = (path: string, parameters: Values, prefix: string): string => {
  const inPath = new Set<string>()
  const filled = path.replace(/\{(\w+)\}/gu, (_, declared: string) => {
    const name = localName(prefix, declared)
    inPath.add(name)
    return encodeURIComponent(String(parameters[name]))
  })
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || inPath.has(name)
      ? []
      : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`]
  )
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`
}
