import { operations } from "./_declared.ts"
import { exchange, type Exchanging } from "./_exchange.ts"
import { writeExact } from "./_exact_json.ts"
import { Memory } from "./_memory.ts"
import { pagesOf } from "./_pages.ts"
import type { Operations as EarlierOperations } from "./earlier.ts"
import type { Operations as LaterOperations } from "./later.ts"
import { type Local, localName } from "./local_name.ts"
import { type Answer, type Outcome, RequestFailed } from "./outcome.ts"

/** The operations of each revision. */
export interface Revisions {
  readonly later: LaterOperations
  readonly earlier: EarlierOperations
}
export type RevisionName = keyof Revisions

export interface ClientOptions<
  Revision extends RevisionName = RevisionName,
  Prefix extends string = string
> {
  /** Where the server mounts the revision: `http://localhost:8080`, `https://example.org/api/earlier`. */
  readonly url: string
  /** `later` by default. */
  readonly revision?: Revision
  /** Prefix of identifiers and names in this network; `zk` by default. */
  readonly prefix?: Prefix
  /** What asks: that of the platform by default, or that of an embedded node, which needs no socket. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Sent with every request, such as a key for a gateway. */
  readonly headers?: { readonly [name: string]: string }
  /** How long one try may take; 30,000 by default. */
  readonly timeoutMs?: number
  /** Tries after the first one; 3 by default, 0 for none. Only what may go well later is tried again. */
  readonly retriesMax?: number
  /** The longest wait before a try, in milliseconds; where the server asks for more, the failure is given at once. 30,000 by default. */
  readonly retryWaitMsMax?: number
  /**
   * Characters of answers that are remembered, so that asking again costs a 304; 4 million by default, 0 for none. In a browser its
   * own cache does the same without a preflight: 0 is better there for a server of another origin.
   */
  readonly rememberedMax?: number
  /** Waits before a try, and rejects where the signal ends it; a timer by default. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

export interface CallOptions {
  /** Ends the call, with its waits and tries. */
  readonly signal?: AbortSignal
}

interface Declared {
  readonly takes: unknown
  readonly answers: unknown
}

/** The parameters of an operation; they can be left out where none is required. */
export type Taking<O extends Declared, Prefix extends string> = Record<never, never> extends
  O["takes"] ? [parameters?: Local<O["takes"], Prefix>] : [parameters: Local<O["takes"], Prefix>]

/** One operation as a function. */
export type Call<O extends Declared, Prefix extends string> = (
  ...parameters: [...Taking<O, Prefix>, options?: CallOptions]
) => Promise<Outcome<Local<O["answers"], Prefix>>>

interface Listed extends Declared {
  readonly item: unknown
}

/** The operations that answer with pages. */
export type ListsOf<Operations> = {
  readonly [Id in keyof Operations]: Operations[Id] extends Listed ? Id
    : never
}[keyof Operations]
/** One of them. */
export type ListOf<Operations, Id extends keyof Operations> = Operations[Id] extends
  infer O extends Listed ? O : never

/** The pages of a list, one after the other. */
export interface Paged<Operations, Prefix extends string> {
  /**
   * Every item of a list, page after page, each `limit` items (200 by default). An itemId is never used twice, so nothing is skipped and
   * nothing is given twice, whatever the network does meanwhile; what was given before a rollback may be undone by it, and what replaces
   * it follows with a greater itemId. A failure that lasts is thrown, as RequestFailed.
   */
  readonly items: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: [...Taking<ListOf<Operations, Id>, Prefix>, options?: CallOptions]
  ) => AsyncGenerator<Local<ListOf<Operations, Id>["item"], Prefix>, void, void>
  /** The same by whole answers, each with the snapshot that it shows. */
  readonly pages: <Id extends ListsOf<Operations>>(
    id: Id,
    ...parameters: [...Taking<ListOf<Operations, Id>, Prefix>, options?: CallOptions]
  ) => AsyncGenerator<Answer<Local<ListOf<Operations, Id>["answers"], Prefix>>, void, void>
}

/** The operations of a revision as functions, typed by what the network of the prefix calls its parameters and properties. */
export type Client<Revision extends RevisionName = "later", Prefix extends string = "zk"> =
  & {
    readonly [Id in keyof Revisions[Revision]]: Revisions[Revision][Id] extends Declared
      ? Call<Revisions[Revision][Id], Prefix>
      : never
  }
  & Paged<Revisions[Revision], Prefix>

/**
 * A client of one server. Calls resolve to an answer or to a failure as data and never reject; what may go well later is tried again,
 * as the server says with `Retry-After`; what was asked before costs a 304; integers keep all their digits. It needs `fetch` and
 * nothing else. A filter that the revision does not have is an error of types.
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
 * Throws a TypeError where `url` is no URL.
 */
export const rollupClient = <
  const Revision extends RevisionName = "later",
  const Prefix extends string = "zk"
>(
  options: ClientOptions<Revision, Prefix>
): Client<Revision, Prefix> => {
  const { prefix = "zk", url } = options
  const base = new URL(url).href.replace(/[?#].*$/u, "").replace(/\/+$/u, "")
  const revision = options.revision ?? "later"
  const how: Exchanging = {
    fetch: options.fetch ?? ((request) => fetch(request)),
    // the header of the default revision would cost a browser a preflight for each URL
    headers: revision === "later"
      ? { ...options.headers }
      : { ...options.headers, "api-revision": revision },
    revision,
    timeoutMs: options.timeoutMs ?? 30_000,
    retriesMax: options.retriesMax ?? 3,
    retryWaitMsMax: options.retryWaitMsMax ?? 30_000,
    wait: options.wait ?? waitFor,
    memory: new Memory(options.rememberedMax ?? 4_000_000)
  }
  const call = (id: keyof typeof operations) => {
    const operation: Operation = operations[id]
    return (parameters: unknown = {}, { signal }: CallOptions = {}) =>
      operation.posts === true
        ? exchange(how, {
          url: base + operation.path,
          body: typeof parameters === "string" ? parameters : writeExact(parameters as object),
          signal
        })
        : exchange(how, {
          url: base + target(operation.path, parameters as Values, prefix),
          signal
        })
  }
  const calls = Object.fromEntries(
    (Object.keys(operations) as Array<keyof typeof operations>).map((id) => [id, call(id)])
  )
  const pages = (id: keyof typeof operations, parameters: Values = {}, options: CallOptions = {}) =>
    pagesOf((operations[id] as Operation).itemsProperty!, async (parameters) => {
      const outcome = await calls[id]!(parameters, options)
      if (!outcome.ok) throw new RequestFailed(outcome)
      return outcome as Answer<never>
    }, parameters)
  async function* items(id: keyof typeof operations, parameters?: Values, options?: CallOptions) {
    for await (const { value } of pages(id, parameters, options)) {
      yield* value[(operations[id] as Operation).itemsProperty!]!
    }
  }
  return { ...calls, pages, items } as unknown as Client<Revision, Prefix>
}

interface Operation {
  readonly path: string
  readonly itemsProperty?: string
  readonly posts?: boolean
}
type Values = { readonly [name: string]: unknown }

/** Path and query: parameters that stand in the path, then the others. */
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

const waitFor = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error)
    const end = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, ms)
    signal?.addEventListener("abort", end, { once: true })
  })
