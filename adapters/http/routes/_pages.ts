import { Effect } from "effect"
import type { WireContext } from "../../../core/contract/mod.ts"
import { cachedSuccess } from "../../../core/ports/mod.ts"
import type { HttpAnswer, HttpRequest } from "../message/mod.ts"
import { docsPage, exactJson, openApi } from "../openapi/mod.ts"
import { type Mount, mountedPath } from "./mounts.ts"

/** A page that does not read the ledger. */
export interface Page {
  /** Name of the operation in metrics and logs. */
  readonly operation: string
  /** Whether the page depends on nothing but its URL. */
  readonly isConstant: boolean
  readonly content: (request: HttpRequest) => Effect.Effect<HttpAnswer>
}

/** The paths of the documentation of a revision, within its mount. */
export const pagePaths = { document: "/openapi.json", docs: "/docs" } as const

interface PagesOptions {
  readonly mount: Mount
  readonly mounts: ReadonlyArray<Mount>
  readonly context: WireContext
  /** Value of the header `Vary` of all answers. */
  readonly vary: string
}

/** Returns the pages of one revision by path; the path of the mount itself is empty. */
export const makePages = (options: PagesOptions): { readonly [path: string]: Page } => {
  const { context, mounts } = options
  const documentation = lastByKey((basePath) => openDocumentation(options, basePath))
  return {
    "": {
      operation: "index",
      isConstant: false,
      content: (request) => Effect.succeed(indexAnswer(options, request))
    },
    [pagePaths.document]: {
      operation: "openapi",
      isConstant: true,
      content: ({ basePath = "" }) =>
        Effect.flatMap(documentation(basePath), ({ text }) => Effect.map(text, jsonAnswer))
    },
    [pagePaths.docs]: {
      operation: "docs",
      isConstant: true,
      content: ({ basePath = "" }) => Effect.flatMap(documentation(basePath), ({ page }) => page)
    },
    "/network": {
      operation: "network",
      isConstant: true,
      content: ({ basePath = "" }) =>
        Effect.succeed(jsonAnswer(networkText(context, mounts, basePath)))
    }
  }
}

const jsonAnswer = (body: string): HttpAnswer => ({ status: 200, headers: {}, body })

/** Returns the document of a revision and its page, which are made when they are first needed. */
const openDocumentation = Effect.fnUntraced(
  function*({ context, mount }: PagesOptions, basePath: string) {
    const { revision } = mount
    const document = yield* cachedSuccess(
      Effect.sync(() => openApi({ revision, context, path: mountedPath(mount, "", basePath) }))
    )
    return {
      text: yield* cachedSuccess(Effect.map(document, exactJson)),
      page: yield* cachedSuccess(Effect.flatMap(document, docsPage))
    }
  }
)

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

/**
 * Redirects browsers to the documentation page. Returns the paths of all revisions to other
 * clients.
 */
const indexAnswer = (
  { mount, mounts, vary: varyOfAll }: PagesOptions,
  { basePath = "", headers }: HttpRequest
): HttpAnswer => {
  const vary = { vary: `Accept, ${varyOfAll}` }
  if (String(headers.accept ?? "").includes("text/html")) {
    return {
      status: 302,
      headers: { ...vary, location: mountedPath(mount, pagePaths.docs, basePath) },
      body: ""
    }
  }
  const links = (of: Mount) => ({
    revision: of.revision.name,
    doc: of.revision.doc,
    path: mountedPath(of, "", basePath),
    openapi: mountedPath(of, pagePaths.document, basePath),
    documentation: mountedPath(of, pagePaths.docs, basePath)
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
