import { Effect } from "effect"
import {
  operationIds, operations, parameterName, type Operation, type Revision, type WireContext, type WriteOperationId, writeOperationIds, writeOperations
} from "../../core/contract/mod.ts"
import type { LedgerStamp, NotRegistered } from "../../core/ports/mod.ts"
import type { ReadFailure, ReadInterface } from "../../core/use_cases/mod.ts"
import { localPath } from "./_local_path.ts"
import { type HeaderRecord, makeHeaders } from "./_headers.ts"
import type { Mount } from "./_mounts.ts"
import type { PostFailure, Posting } from "./_posting.ts"
import { makeRouter, type Route, type Router } from "./_router.ts"
import { docsPage } from "./docs.ts"
import type { HttpAnswer, HttpRequest, LedgerAnswer } from "./message.ts"
import { exactJson, openApi } from "./open_api.ts"
import { notRegistered, type Problem } from "./problem.ts"

/** What stands at one path. */
export interface Resource {
  /** Methods, as `Allow` lists them. */
  readonly allow: string
  readonly get?: (values: ReadonlyArray<string>, query: string, request: HttpRequest) => Effect.Effect<HttpAnswer | LedgerAnswer, ReadFailure>
  /** Whether `get` gives answers about the ledger, which are constants between two versions of it. */
  readonly isOfLedger?: boolean
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
  /** Batches after which one is too deep for a rollback. */
  readonly finalAfterBatches: number
  /** The last snapshot, for answers that show none of it. */
  readonly stamp: Effect.Effect<LedgerStamp | undefined>
}

/** The path of something within a mount. */
export const mountedPath = (mount: Mount, path: string): string => mount.path === "/" ? path || "/" : mount.path + path

export const makeSite = Effect.fnUntraced(function*({ mount, mounts, reading, postings, context, stamp, finalAfterBatches }: SiteOptions) {
  const { revision } = mount
  const headers = makeHeaders(revision.name)
  const page = (content: (request: HttpRequest) => Effect.Effect<HttpAnswer>): Resource => ({
    allow: readMethods,
    get: (_, __, request) => Effect.map(Effect.all([content(request), stamp]), ([answer, stamp]) => ({
      ...answer, headers: { ...headers(stamp), ...answer.headers }
    })),
    notRegistered: (failure) => notRegistered(failure, failure.filter)
  })
  const document = yield* once(Effect.sync(() => openApi({ revision, context, path: mount.path })))
  const documentText = yield* once(Effect.map(document, exactJson))
  const docs = yield* once(Effect.flatMap(document, docsPage))

  const routes = operationIds.map((id): Route<Resource> => {
    const operation: Operation = operations[id]
    const read = reading.operations[id]
    // of what is shown only a batch has nothing in it that a later block could change
    const isFinal = (values: ReadonlyArray<string>, { batchNum }: LedgerStamp) =>
      operation.kind === "item" && operation.item === "batch" && batchNum !== null && Number(values[0]) <= batchNum - finalAfterBatches
    return {
      path: localPath(operation, context),
      target: {
        allow: readMethods,
        isOfLedger: operation.kind === "list" || operation.kind === "item" || operation.kind === "state",
        get: (values, query) => Effect.mapEager(read(values, query), (answer): LedgerAnswer => ({
          status: 200, headers: headers(answer.stamp), body: answer.json, version: answer.stamp.version, isFinal: isFinal(values, answer.stamp)
        })),
        notRegistered: (failure) => notRegistered(failure, filterName(revision, operation, context, failure.filter))
      }
    }
  })
  const writeRoutes = writeOperationIds.map((id): Route<Resource> => ({
    path: localPath(writeOperations[id], context),
    target: {
      allow: writeMethods,
      post: (query, request) => Effect.flatMap(postings[id](query, request), (body) => Effect.map(stamp, (stamp) => posted(headers(stamp), body))),
      notRegistered: (failure) => notRegistered(failure, failure.filter)
    }
  }))
  const router = makeRouter([
    ...routes,
    ...writeRoutes,
    { path: "/openapi.json", target: page(() => Effect.map(documentText, (body) => ({ status: 200, headers: {}, body }))) },
    { path: "/docs", target: page(() => docs) }
  ])
  const index = page((request) => Effect.succeed(indexAnswer(mount, mounts, request)))
  const site: Site = {
    // the mount itself has no slash at its end, so no path within it
    router: { ...router, find: (path) => path === "" ? { target: index, values: [] } : router.find(path) },
    headers,
    revision,
    docs: mountedPath(mount, "/docs")
  }
  return site
})

/** Built with the first request, for all of them: a client that gives up must not leave an interruption behind. */
const once = <A>(effect: Effect.Effect<A>) => Effect.cached(Effect.uninterruptible(effect))

const readMethods = "GET, HEAD, OPTIONS"
const writeMethods = "POST, OPTIONS"

/** An empty body has no type. */
const posted = ({ "content-type": contentType, ...headers }: HeaderRecord, body: string): HttpAnswer => ({
  status: 200, headers: body === "" || contentType === undefined ? headers : { ...headers, "content-type": contentType }, body
})

const filterName = (revision: Revision, operation: Operation, { name }: WireContext, filter: string): string =>
  operation.kind === "list" ? name(parameterName(revision, operation.list, filter) ?? filter) : filter

/** A browser is sent to the documentation, a program gets the addresses. */
const indexAnswer = (mount: Mount, mounts: ReadonlyArray<Mount>, { headers }: HttpRequest): HttpAnswer => {
  const vary = { vary: "Accept, Api-Revision" }
  if (String(headers.accept ?? "").includes("text/html")) {
    return { status: 302, headers: { ...vary, location: mountedPath(mount, "/docs") }, body: "" }
  }
  const links = (of: Mount) => ({
    revision: of.revision.name, doc: of.revision.doc, path: of.path, openapi: mountedPath(of, "/openapi.json"), documentation: mountedPath(of, "/docs")
  })
  return { status: 200, headers: vary, body: JSON.stringify({ ...links(mount), revisions: mounts.map(links) }) }
}
