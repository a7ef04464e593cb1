import { Effect } from "effect"
import {
  type AnyWriteOperationId,
  parameterName,
  type Operation,
  type ReadOperationId,
  readOperationsOf,
  type WireContext,
  type WriteOperation,
  writeOperationsOf
} from "../../../core/contract/mod.ts"
import type { SnapshotId } from "../../../core/ports/mod.ts"
import {
  type Answer,
  returnsOneBatch,
  type ReadFailure,
  type ReadInterface
} from "../../../core/use_cases/mod.ts"
import {
  type HeaderRecord,
  type HttpAnswer,
  type WholeAnswer,
  type HttpRequest,
  makeHeaders,
  type PostFailure,
  type Problem,
  problemJson,
  problemStatus
} from "../message/mod.ts"
import { localPath } from "../openapi/mod.ts"
import { makePages, type Page, pagePaths } from "./_pages.ts"
import { makeRouter, type Mount, mountedPath, type Router } from "./mounts.ts"
import type { PostHandler } from "./post_handler.ts"

/** The answer of a resource, before the cache adds its entity tag. */
export type ComputedResponse = Answer | PageResponse

/** The answer of a page. */
interface PageResponse extends HttpAnswer, Pick<Answer, "dependsOn"> {
  readonly snapshotId?: SnapshotId | undefined
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
   * Returns the batch whose finality makes the answer of `get` immutable; absent if there is none.
   */
  readonly batch?: (values: ReadonlyArray<string>) => number
  readonly write?: WriteResource
  /** Returns the parameter of a filter, as the network spells it. */
  readonly parameterOf?: (filter: string) => string
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

/** A path table, and what its answers have in common. The paths do not include that of a mount. */
export interface Routes {
  /** Name of the revision. */
  readonly revision: string
  readonly router: Router<Resource>
  readonly headers: (snapshotId: SnapshotId | undefined) => HeaderRecord
  /** Returns status and body of the answer to a problem. */
  readonly problem: (problem: Problem, url: string) => Pick<WholeAnswer, "status" | "body">
  /** Returns the absolute path of the page that lists all paths. */
  readonly docs: (basePath: string) => string
}

export interface RevisionRoutesOptions {
  readonly mount: Mount
  readonly mounts: ReadonlyArray<Mount>
  readonly reading: ReadInterface
  readonly postHandlers: { readonly [Id in AnyWriteOperationId]?: PostHandler }
  readonly context: WireContext
  /** Reads the latest snapshot, for the headers of answers that do not read the ledger. */
  readonly latestSnapshotId: Effect.Effect<SnapshotId | undefined>
  /** Names of headers that telemetry adds to the answers, for `Access-Control-Expose-Headers`. */
  readonly exposedHeaders: ReadonlyArray<string>
  /** Whether answers are compressed by `Accept-Encoding`. */
  readonly isCompressed: boolean
}

/**
 * Returns the routes of one revision: its operations, and its index, network, document and docs
 * pages.
 */
export const makeRevisionRoutes = (options: RevisionRoutesOptions): Routes => {
  const { exposedHeaders, isCompressed, mount } = options
  const { revision } = mount
  // at the default mount a header selects the revision, so shared caches must distinguish it
  const vary = isCompressed ? "Api-Revision, Accept-Encoding" : "Api-Revision"
  const headers = makeHeaders(revision.name, exposedHeaders, vary)
  const resources = new Map<string, Resource>()
  for (const [id, operation] of readOperationsOf(revision)) {
    resources.set(localPath(operation, options.context), readResource(id, operation, options))
  }
  for (const [id, operation] of writeOperationsOf(revision)) {
    const path = localPath(operation, options.context)
    const write = writeResource(id, operation, headers, options)
    resources.set(path, withWrite(resources.get(path), write))
  }
  for (const [path, page] of Object.entries(makePages({ ...options, vary }))) {
    resources.set(path, pageResource(page, options.latestSnapshotId))
  }
  return {
    revision: revision.name,
    router: makeRouter(resources),
    headers,
    problem: (problem, url) => ({
      status: problemStatus(problem, revision),
      body: problemJson(problem, url, revision)
    }),
    docs: (basePath) => mountedPath(mount, pagePaths.docs, basePath)
  }
}

const readMethods = "GET, HEAD, OPTIONS"
const noDependencies: NonNullable<Answer["dependsOn"]> = []

const readResource = (
  id: ReadOperationId,
  operation: Operation,
  { context, mount: { revision }, reading }: RevisionRoutesOptions
): Resource => ({
  operation: id,
  allow: readMethods,
  get: reading.operations[id]!,
  ...returnsOneBatch(operation) ? { batch: ([number]) => Number(number) } : {},
  ..."list" in operation
    ? {
      parameterOf: (filter) =>
        context.name(parameterName(revision, operation.list, filter) ?? filter)
    }
    : {}
})

const writeResource = (
  id: AnyWriteOperationId,
  { method }: WriteOperation,
  headers: Routes["headers"],
  { latestSnapshotId, postHandlers }: RevisionRoutesOptions
): WriteResource => ({
  operation: id,
  method,
  answer: (values, query, request) =>
    Effect.flatMap(
      postHandlers[id]!(values, query, request),
      (body) => Effect.map(latestSnapshotId, (snapshotId) => postAnswer(headers(snapshotId), body))
    )
})

/** Returns the resource of a path that has a write, and maybe a read. */
export const withWrite = (read: Resource | undefined, write: WriteResource): Resource => ({
  operation: write.operation,
  ...read,
  allow: `${read === undefined ? "" : "GET, HEAD, "}${write.method}, OPTIONS`,
  write
})

const pageResource = (
  { content, isConstant, operation }: Page,
  latestSnapshotId: Effect.Effect<SnapshotId | undefined>
): Resource => ({
  operation,
  allow: readMethods,
  get: (_, __, request) =>
    Effect.map(
      Effect.all([content(request), latestSnapshotId]),
      ([answer, snapshotId]): ComputedResponse => ({
        ...answer,
        snapshotId,
        ...isConstant ? { dependsOn: noDependencies } : {}
      })
    )
})

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
