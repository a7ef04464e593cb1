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
  const { context, mount, mounts } = options
  const documentAt = (basePath: string) =>
    openApi({ revision: mount.revision, context, path: mountedPath(mount, "", basePath) })
  return {
    "": {
      operation: "index",
      isConstant: false,
      content: (request) => Effect.succeed(indexAnswer(options, request))
    },
    [pagePaths.document]: {
      operation: "openapi",
      isConstant: true,
      content: lastByBasePath((basePath) =>
        Effect.succeed(jsonAnswer(exactJson(documentAt(basePath))))
      )
    },
    [pagePaths.docs]: {
      operation: "docs",
      isConstant: true,
      content: lastByBasePath((basePath) => docsPage(documentAt(basePath)))
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

/** Returns an answer for each base path, and keeps that of the last one. */
const lastByBasePath = (
  compute: (basePath: string) => Effect.Effect<HttpAnswer>
): Page["content"] => {
  let last: { readonly basePath: string; readonly answer: Effect.Effect<HttpAnswer> } | undefined
  return ({ basePath = "" }) =>
    last?.basePath === basePath
      ? last.answer
      : Effect.flatMap(cachedSuccess(Effect.suspend(() => compute(basePath))), (answer) => {
        last = { basePath, answer }
        return answer
      })
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
