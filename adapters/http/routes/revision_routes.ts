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
import type { PostFailure, Posting } from "./post_handler.ts"
import { makeRouter, type Route, type Router } from "./router.ts"

/** An answer as its resource computes it, before it is tagged. */
export interface Computed extends Partial<Pick<Answer, "dependsOn" | "pool">> {
  readonly status: number
  /** Beside those that name the snapshot and the revision. */
  readonly headers: HeaderRecord
  readonly body: string | Uint8Array
  readonly stamp: LedgerStamp | undefined
  /** The batch that is all that is shown, which becomes final; null or absent of others. */
  readonly batch?: number | null
}

/** What stands at one path. */
export interface Resource {
  /** What counts and logs call it. */
  readonly operation: string
  /** Methods, as `Allow` lists them. */
  readonly allow: string
  readonly get?: (
    values: ReadonlyArray<string>,
    query: string,
    request: HttpRequest
  ) => Effect.Effect<Computed, ReadFailure>
  /** The batch that is all that `get` shows; null where there is more. */
  readonly batch?: (values: ReadonlyArray<string>) => number | null
  /** Reads the body by itself. */
  readonly post?: (query: string, request: HttpRequest) => Effect.Effect<HttpAnswer, PostFailure>
  /** Names the filter of a refusal as this path does. */
  readonly notRegistered: (failure: NotRegistered) => Problem
}

/** Everything that one revision serves, wherever it is mounted. */
export interface Site {
  readonly router: Router<Resource>
  readonly headers: (stamp: LedgerStamp | undefined) => HeaderRecord
  readonly revision: Revision
  /** The path of the documentation page. */
  readonly docs: string
}

export interface SiteOptions {
  readonly mount: Mount
  readonly mounts: ReadonlyArray<Mount>
  readonly reading: ReadInterface
  readonly postings: { readonly [Id in WriteOperationId]: Posting }
  readonly context: WireContext
  /** The last snapshot, for answers that show none of it. */
  readonly stamp: Effect.Effect<LedgerStamp | undefined>
  /** Names of the headers that are added to its answers. */
  readonly told: ReadonlyArray<string>
}

/** The path of something within a mount. */
export const mountedPath = (mount: Mount, path: string): string =>
  mount.path === "/" ? path || "/" : mount.path + path

export const makeSite = Effect.fnUntraced(
  function*({ mount, mounts, reading, postings, context, stamp, told }: SiteOptions) {
    const { revision } = mount
    const headers = makeHeaders(revision.name, told)
    const page = (
      name: string,
      content: (request: HttpRequest) => Effect.Effect<HttpAnswer>,
      isConstant = true
    ): Resource => ({
      operation: name,
      allow: readMethods,
      get: (_, __, request) =>
        Effect.map(Effect.all([content(request), stamp]), ([answer, stamp]): Computed => ({
          ...answer,
          stamp,
          ...isConstant ? { dependsOn: nothing } : {}
        })),
      notRegistered: (failure) => notRegistered(failure, failure.filter)
    })
    const document = yield* once(
      Effect.sync(() => openApi({ revision, context, path: mount.path }))
    )
    const documentText = yield* once(Effect.map(document, exactJson))
    const docs = yield* once(Effect.flatMap(document, docsPage))

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
            Effect.mapEager(read(values, query), ({ dependsOn, json, pool, stamp }): Computed => ({
              status: 200,
              headers: noHeaders,
              body: json,
              stamp,
              dependsOn,
              batch: batch(values),
              ...pool === undefined ? {} : { pool }
            })),
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
            postings[id](query, request),
            (body) => Effect.map(stamp, (stamp) => posted(headers(stamp), body))
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
    const site: Site = {
      // the mount itself has no slash at its end, so no path within it
      router: {
        ...router,
        find: (path) => path === "" ? { target: index, values: [] } : router.find(path)
      },
      headers,
      revision,
      docs: mountedPath(mount, "/docs")
    }
    return site
  }
)

const noHeaders: HeaderRecord = {}
const nothing: NonNullable<Computed["dependsOn"]> = []

/** Built with the first request, for all of them: a client that gives up must not leave an interruption behind. */
const once = <A>(effect: Effect.Effect<A>) => Effect.cached(Effect.uninterruptible(effect))

const readMethods = "GET, HEAD, OPTIONS"
const writeMethods = "POST, OPTIONS"

/** An empty body has no type. */
const posted = (
  { "content-type": contentType, ...headers }: HeaderRecord,
  body: string
): HttpAnswer => ({
  status: 200,
  headers: body === "" || contentType === undefined
    ? headers
    : { ...headers, "content-type": contentType },
  body
})

const filterName = (
  revision: Revision,
  operation: Operation,
  { name }: WireContext,
  filter: string
): string =>
  operation.kind === "list"
    ? name(parameterName(revision, operation.list, filter) ?? filter)
    : filter

/** A browser is sent to the documentation, a program gets the addresses. */
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
