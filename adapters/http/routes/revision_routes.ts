import { Effect } from "effect"
import {
  type AnyWriteOperationId,
  parameterName,
  type Operation,
  readOperationsOf,
  type Revision,
  type WireContext,
  type WriteOperation,
  writeOperationsOf
} from "../../../core/contract/mod.ts"
import type { LedgerStamp, NotRegistered } from "../../../core/ports/mod.ts"
import {
  type Answer,
  returnsOneBatch,
  type ReadFailure,
  type ReadInterface
} from "../../../core/use_cases/mod.ts"
import {
  type HeaderRecord,
  type HttpAnswer,
  type HttpRequest,
  makeHeaders,
  notRegistered,
  type Problem
} from "../message/mod.ts"
import { docsPage, exactJson, localPath, openApi } from "../openapi/mod.ts"
import {
  makeRouter,
  type Match,
  type Mount,
  mountedPath,
  type Route,
  type Router
} from "./mounts.ts"
import type { PostFailure, PostHandler } from "./post_handler.ts"

/** The answer of a resource, before the cache adds its entity tag. */
export interface ComputedResponse extends Pick<Answer, "dependsOn"> {
  readonly status: number
  /** Added to the headers that name the snapshot and the revision. */
  readonly headers: HeaderRecord
  readonly body: string | Uint8Array
  readonly stamp: LedgerStamp | undefined
}

/** The handlers of one path. */
export interface Resource {
  /** Name of the operation in metrics and logs; `write` has its own. */
  readonly operation: string
  /** Value of the header `Allow`. */
  readonly allow: string
  readonly get?: (
    values: ReadonlyArray<string>,
    query: string,
    request: HttpRequest
  ) => Effect.Effect<ComputedResponse, ReadFailure>
  /**
   * Returns the batch whose finality makes the answer of `get` immutable; null if there is none.
   */
  readonly batch?: (values: ReadonlyArray<string>) => number | null
  readonly write?: WriteResource
  /** Returns the problem for an unregistered account, token or batch, with its parameter name. */
  readonly notRegistered: (failure: NotRegistered) => Problem
}

/** The handler of a request with a body, which it reads itself. */
export interface WriteResource {
  readonly operation: string
  readonly method: WriteOperation["method"]
  readonly answer: (
    values: ReadonlyArray<string>,
    query: string,
    request: HttpRequest
  ) => Effect.Effect<HttpAnswer, PostFailure>
}

/** Returns the name of the operation of a request in metrics and logs. */
export const operationName = (resource: Resource | undefined, method: string): string =>
  resource === undefined
    ? "none"
    : method === resource.write?.method
    ? resource.write.operation
    : resource.operation

/** The routes and headers of one revision. The paths do not include that of the mount. */
export interface RevisionRoutes {
  readonly router: Router<Resource>
  readonly headers: (stamp: LedgerStamp | undefined) => HeaderRecord
  readonly revision: Revision
  /** Returns the absolute path of the documentation page. */
  readonly docs: (basePath: string) => string
  /**
   * Returns the match of a path without the slash at its end, if the revision redirects to that
   * path; the path itself must have no match.
   */
  readonly findWithoutSlash: (path: string) => Match<Resource> | undefined
}

export interface RevisionRoutesOptions {
  readonly mount: Mount
  readonly mounts: ReadonlyArray<Mount>
  readonly reading: ReadInterface
  readonly postHandlers: { readonly [Id in AnyWriteOperationId]?: PostHandler }
  readonly context: WireContext
  /** Reads the newest snapshot, for the headers of answers that do not read the ledger. */
  readonly stamp: Effect.Effect<LedgerStamp | undefined>
  /** Names of headers that telemetry adds to the answers, for `Access-Control-Expose-Headers`. */
  readonly exposedHeaders: ReadonlyArray<string>
  /** Whether answers are compressed by `Accept-Encoding`. */
  readonly isCompressed: boolean
}

/**
 * Returns the routes of one revision: its operations, and its index, network, document and docs
 * pages.
 */
export const makeRevisionRoutes = (
  { mount, mounts, reading, postHandlers, context, stamp, exposedHeaders, isCompressed }:
    RevisionRoutesOptions
): RevisionRoutes => {
  const { revision } = mount
  // at the default mount a header selects the revision, so shared caches must distinguish it
  const vary = isCompressed ? "Api-Revision, Accept-Encoding" : "Api-Revision"
  const headers = makeHeaders(revision.name, exposedHeaders, vary)
  const page = (
    name: string,
    content: (request: HttpRequest) => Effect.Effect<HttpAnswer>,
    isConstant = true
  ): Resource => ({
    operation: name,
    allow: readMethods,
    get: (_, __, request) =>
      Effect.map(Effect.all([content(request), stamp]), ([answer, stamp]): ComputedResponse => ({
        ...answer,
        stamp,
        ...isConstant ? { dependsOn: noDependencies } : {}
      })),
    notRegistered: (failure) => notRegistered(failure, failure.filter)
  })
  const documentation = lastByKey(Effect.fnUntraced(function*(basePath: string) {
    const document = yield* cached(
      Effect.sync(() => openApi({ revision, context, path: mountedPath(mount, "", basePath) }))
    )
    return {
      text: yield* cached(Effect.map(document, exactJson)),
      page: yield* cached(Effect.flatMap(document, docsPage))
    }
  }))

  const reads = readOperationsOf(revision).map(([id, operation]): Route<Resource> => {
    const read = reading.operations[id]!
    const isBatch = returnsOneBatch(operation)
    return {
      path: localPath(operation, context),
      target: {
        operation: id,
        allow: readMethods,
        get: (values, query) =>
          Effect.mapEager(
            read(values, query),
            ({ dependsOn, json, stamp, status = 200 }): ComputedResponse => ({
              status,
              headers: noHeaders,
              body: json,
              stamp,
              ...dependsOn === undefined ? {} : { dependsOn }
            })
          ),
        batch: ([number]) => isBatch ? Number(number) : null,
        notRegistered: (failure) =>
          notRegistered(failure, filterName(revision, operation, context, failure.filter))
      }
    }
  })
  const resources = new Map(reads.map(({ path, target }) => [path, target]))
  for (const [id, operation] of writeOperationsOf(revision)) {
    const { method } = operation
    const path = localPath(operation, context)
    const read = resources.get(path)
    resources.set(path, {
      operation: id,
      notRegistered: (failure) => notRegistered(failure, failure.filter),
      ...read,
      allow: `${read === undefined ? "" : "GET, HEAD, "}${method}, OPTIONS`,
      write: {
        operation: id,
        method,
        answer: (values, query, request) =>
          Effect.flatMap(
            postHandlers[id]!(values, query, request),
            (body) => Effect.map(stamp, (stamp) => postAnswer(headers(stamp), body))
          )
      }
    })
  }
  const router = makeRouter([
    ...Array.from(resources, ([path, target]) => ({ path, target })),
    {
      path: "/openapi.json",
      target: page(
        "openapi",
        ({ basePath = "" }) =>
          documentation(basePath).pipe(
            Effect.flatMap(({ text }) => text),
            Effect.map((body) => ({ status: 200, headers: {}, body }))
          )
      )
    },
    {
      path: "/docs",
      target: page(
        "docs",
        ({ basePath = "" }) => Effect.flatMap(documentation(basePath), ({ page }) => page)
      )
    },
    {
      path: "/network",
      target: page(
        "network",
        ({ basePath = "" }) =>
          Effect.succeed({ status: 200, headers: {}, body: networkText(context, mounts, basePath) })
      )
    }
  ])
  const index = page(
    "index",
    (request) => Effect.succeed(indexAnswer(mount, mounts, request, vary)),
    false
  )
  // a request for the mount itself has the empty path
  const find = (path: string): Match<Resource> | undefined =>
    path === "" ? { target: index, values: [] } : router.find(path)
  return {
    router: { ...router, find },
    findWithoutSlash: (path) =>
      revision.requestRules.finalSlash === "redirected" && path.endsWith("/")
        ? find(path.slice(0, -1))
        : undefined,
    headers,
    revision,
    docs: (basePath) => mountedPath(mount, "/docs", basePath)
  }
}

const noHeaders: HeaderRecord = {}
const noDependencies: NonNullable<ComputedResponse["dependsOn"]> = []

/**
 * Caches the result of the first run. The run is uninterruptible, so that no interruption is cached
 * if the client disconnects.
 */
const cached = <A>(effect: Effect.Effect<A>) => Effect.cached(Effect.uninterruptible(effect))

/** Returns the effect of a function, and keeps the result for the key of the last call. */
const lastByKey = <A>(
  compute: (key: string) => Effect.Effect<A>
): (key: string) => Effect.Effect<A> => {
  let last: { readonly key: string; readonly result: A } | undefined
  return (key) =>
    last?.key === key
      ? Effect.succeed(last.result)
      : Effect.tap(compute(key), (result) => Effect.sync(() => void (last = { key, result })))
}

const readMethods = "GET, HEAD, OPTIONS"

/** Returns the answer to a write; without `Content-Type` if the body is empty. */
const postAnswer = (
  { "content-type": contentType, ...headers }: HeaderRecord,
  body: string
): HttpAnswer => ({
  status: 200,
  headers: body === "" || contentType === undefined
    ? headers
    : { ...headers, "content-type": contentType },
  body
})

/** Returns the parameter name of a filter, as the network spells it. */
const filterName = (
  revision: Revision,
  operation: Operation,
  { name }: WireContext,
  filter: string
): string =>
  "list" in operation
    ? name(parameterName(revision, operation.list, filter) ?? filter)
    : filter

/**
 * Redirects browsers to the documentation page. Returns the paths of all revisions to other
 * clients.
 */
const indexAnswer = (
  mount: Mount,
  mounts: ReadonlyArray<Mount>,
  { basePath = "", headers }: HttpRequest,
  varyOfAll: string
): HttpAnswer => {
  const vary = { vary: `Accept, ${varyOfAll}` }
  if (String(headers.accept ?? "").includes("text/html")) {
    return {
      status: 302,
      headers: { ...vary, location: mountedPath(mount, "/docs", basePath) },
      body: ""
    }
  }
  const links = (of: Mount) => ({
    revision: of.revision.name,
    doc: of.revision.doc,
    path: mountedPath(of, "", basePath),
    openapi: mountedPath(of, "/openapi.json", basePath),
    documentation: mountedPath(of, "/docs", basePath)
  })
  return {
    status: 200,
    headers: vary,
    body: JSON.stringify({ ...links(mount), revisions: mounts.map(links) })
  }
}

/**
 * Returns the JSON of the identity of the network, which wallets need to derive keys and to sign,
 * and of the revisions that are served.
 */
const networkText = (
  { network: { chainId, name, prefix, rollupAddress } }: WireContext,
  mounts: ReadonlyArray<Mount>,
  basePath: string
): string =>
  JSON.stringify({
    name,
    chainId,
    rollupAddress,
    prefix,
    revisions: mounts.map((mount) => ({
      revision: mount.revision.name,
      path: mountedPath(mount, "", basePath)
    }))
  })
