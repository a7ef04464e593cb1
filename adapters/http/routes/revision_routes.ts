import { Effect } from "effect"
import {
  operationIds,
  operations,
  parameterName,
  type Operation,
  type Revision,
  type WireContext,
  type WriteOperationId,
  writeOperationIds,
  writeOperations
} from "../../../core/contract/mod.ts"
import type { LedgerStamp, NotRegistered } from "../../../core/ports/mod.ts"
import {
  type Answer,
  batchOf,
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
import type { Mount } from "./mounts.ts"
import type { PostFailure, PostHandler } from "./post_handler.ts"
import { makeRouter, type Route, type Router } from "./router.ts"

/** The answer of a resource, before the cache adds its entity tag. */
export interface ComputedResponse extends Partial<Pick<Answer, "dependsOn" | "pool">> {
  readonly status: number
  /** Added to the headers that name the snapshot and the revision. */
  readonly headers: HeaderRecord
  readonly body: string | Uint8Array
  readonly stamp: LedgerStamp | undefined
  /** The batch whose finality makes the answer immutable; null or absent if there is none. */
  readonly batch?: number | null
}

/** The handlers of one path. */
export interface Resource {
  /** Name of the operation in metrics and logs. */
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
  /** Handles a POST; reads the body itself. */
  readonly post?: (query: string, request: HttpRequest) => Effect.Effect<HttpAnswer, PostFailure>
  /** Returns the problem for an unregistered account, token or batch, with its parameter name. */
  readonly notRegistered: (failure: NotRegistered) => Problem
}

/** The routes and headers of one revision. The paths do not include that of the mount. */
export interface RevisionRoutes {
  readonly router: Router<Resource>
  readonly headers: (stamp: LedgerStamp | undefined) => HeaderRecord
  readonly revision: Revision
  /** Absolute path of the documentation page. */
  readonly docs: string
}

export interface RevisionRoutesOptions {
  readonly mount: Mount
  readonly mounts: ReadonlyArray<Mount>
  readonly reading: ReadInterface
  readonly postHandlers: { readonly [Id in WriteOperationId]: PostHandler }
  readonly context: WireContext
  /** Reads the newest snapshot, for the headers of answers that do not read the ledger. */
  readonly stamp: Effect.Effect<LedgerStamp | undefined>
  /** Names of headers that telemetry adds to the answers, for `Access-Control-Expose-Headers`. */
  readonly exposedHeaders: ReadonlyArray<string>
}

/** Returns the absolute path of a path within a mount. */
export const mountedPath = (mount: Mount, path: string): string =>
  mount.path === "/" ? path || "/" : mount.path + path

/** Returns the routes of one revision: its operations, and its index, document and docs pages. */
export const makeRevisionRoutes = Effect.fnUntraced(
  function*(
    { mount, mounts, reading, postHandlers, context, stamp, exposedHeaders }: RevisionRoutesOptions
  ) {
    const { revision } = mount
    const headers = makeHeaders(revision.name, exposedHeaders)
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
    const document = yield* cached(
      Effect.sync(() => openApi({ revision, context, path: mount.path }))
    )
    const documentText = yield* cached(Effect.map(document, exactJson))
    const docs = yield* cached(Effect.flatMap(document, docsPage))

    const routes = operationIds.map((id): Route<Resource> => {
      const operation: Operation = operations[id]
      const read = reading.operations[id]
      const batch = (values: ReadonlyArray<string>) => batchOf(operation, values)
      return {
        path: localPath(operation, context),
        target: {
          operation: id,
          allow: readMethods,
          get: (values, query) =>
            Effect.mapEager(
              read(values, query),
              ({ dependsOn, json, pool, stamp }): ComputedResponse => ({
                status: 200,
                headers: noHeaders,
                body: json,
                stamp,
                dependsOn,
                batch: batch(values),
                ...pool === undefined ? {} : { pool }
              })
            ),
          batch,
          notRegistered: (failure) =>
            notRegistered(failure, filterName(revision, operation, context, failure.filter))
        }
      }
    })
    const writeRoutes = writeOperationIds.map((id): Route<Resource> => ({
      path: localPath(writeOperations[id], context),
      target: {
        operation: id,
        allow: writeMethods,
        post: (query, request) =>
          Effect.flatMap(
            postHandlers[id](query, request),
            (body) => Effect.map(stamp, (stamp) => postAnswer(headers(stamp), body))
          ),
        notRegistered: (failure) => notRegistered(failure, failure.filter)
      }
    }))
    const router = makeRouter([
      ...routes,
      ...writeRoutes,
      {
        path: "/openapi.json",
        target: page(
          "openapi",
          () => Effect.map(documentText, (body) => ({ status: 200, headers: {}, body }))
        )
      },
      { path: "/docs", target: page("docs", () => docs) }
    ])
    const index = page(
      "index",
      (request) => Effect.succeed(indexAnswer(mount, mounts, request)),
      false
    )
    const revisionRoutes: RevisionRoutes = {
      // a request for the mount itself has the empty path
      router: {
        ...router,
        find: (path) => path === "" ? { target: index, values: [] } : router.find(path)
      },
      headers,
      revision,
      docs: mountedPath(mount, "/docs")
    }
    return revisionRoutes
  }
)

const noHeaders: HeaderRecord = {}
const noDependencies: NonNullable<ComputedResponse["dependsOn"]> = []

/**
 * Caches the result of the first run. The run is uninterruptible, so that no interruption is cached
 * if the client disconnects.
 */
const cached = <A>(effect: Effect.Effect<A>) => Effect.cached(Effect.uninterruptible(effect))

const readMethods = "GET, HEAD, OPTIONS"
const writeMethods = "POST, OPTIONS"

/** Returns the answer to a POST; without `Content-Type` if the body is empty. */
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
  operation.kind === "list"
    ? name(parameterName(revision, operation.list, filter) ?? filter)
    : filter

/**
 * Redirects browsers to the documentation page. Returns the paths of all revisions to other
 * clients.
 */
const indexAnswer = (
  mount: Mount,
  mounts: ReadonlyArray<Mount>,
  { headers }: HttpRequest
): HttpAnswer => {
  const vary = { vary: "Accept, Api-Revision" }
  if (String(headers.accept ?? "").includes("text/html")) {
    return { status: 302, headers: { ...vary, location: mountedPath(mount, "/docs") }, body: "" }
  }
  const links = (of: Mount) => ({
    revision: of.revision.name,
    doc: of.revision.doc,
    path: of.path,
    openapi: mountedPath(of, "/openapi.json"),
    documentation: mountedPath(of, "/docs")
  })
  return {
    status: 200,
    headers: vary,
    body: JSON.stringify({ ...links(mount), revisions: mounts.map(links) })
  }
}
