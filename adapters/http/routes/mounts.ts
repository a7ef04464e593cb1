import {
  type InputFault,
  type Revision,
  revisionList,
  nearestName
} from "../../../core/contract/mod.ts"
import type { Problem } from "../message/mod.ts"

/** A revision of the contract, and the path at which it is served. */
export interface Mount {
  /** `/` for the default mount, otherwise a path such as `/earlier`, without a slash at the end. */
  readonly path: string
  readonly revision: Revision
}

/**
 * The mounts if the options of an application set none: each revision at its own path, such as
 * `later` at `/` and `v1` at `/v1`.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { defaultMounts, type Mount } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const mountOf = ({ revision }: Mount): Mount => ({ path: `/${revision.name}`, revision })
 * const mounts = defaultMounts.map(mountOf)
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis, mounts })
 * const { status, headers } = await node.fetch(new Request("http://node/earlier/tokens"))
 * console.log(status, headers.get("api-revision")) // => 200 earlier
 * await node.close()
 * ```
 */
export const defaultMounts: ReadonlyArray<Mount> = revisionList.map((revision) => ({
  path: revision.path,
  revision
}))

/**
 * Returns the absolute path of a path within a mount.
 *
 * @param basePath the path below which the host serves the application; empty if there is none
 */
export const mountedPath = (mount: Pick<Mount, "path">, path: string, basePath: string): string =>
  basePath + (mount.path === "/" ? path : mount.path + path) || "/"

/**
 * The mount and the revision of a request, and the path within the mount. Has a problem if no mount
 * matches the path, or if path and header contradict each other.
 */
export interface MountMatch {
  readonly mount: Pick<Mount, "path">
  /** Starts with a slash; empty for the mount itself. */
  readonly path: string
  /** The path below which the host serves the application; empty if there is none. */
  readonly basePath: string
  readonly revision: string
  readonly problem?: Problem
}

export type MountMatcher = (
  path: string,
  header: string | undefined,
  basePath?: string
) => MountMatch

/**
 * Returns a function that matches a request by its path and its header `Api-Revision`. At the
 * default mount the header selects the revision. Any other mount has one revision, which a header
 * must name. Throws if the mounts are invalid.
 */
export const makeMountMatcher = (mounts: ReadonlyArray<Mount>): MountMatcher => {
  const known = new Set(mounts.map(({ revision }) => revision.name))
  const root = mounts.find(({ path }) => path === "/")
  const named = mounts.filter((mount) => mount !== root).sort((a, b) =>
    b.path.length - a.path.length
  )
  const defaultMount = root ?? mounts[0]
  if (defaultMount === undefined || known.size !== mounts.length) {
    throw new Error("Mount every revision once, and at least one of them")
  }
  const malformed = named.find(({ path }) => !/^(?:\/[\w.~-]+)+$/u.test(path))
  if (malformed !== undefined) {
    throw new Error(
      `Cannot mount at ${JSON.stringify(malformed.path)}: expected a path such as /earlier`
    )
  }

  return (path, header, basePath = "") => {
    const own = named.find((mount) =>
      path.startsWith(mount.path) &&
      (path.length === mount.path.length || path[mount.path.length] === "/")
    )
    const mount = own ?? defaultMount
    const match = {
      mount,
      path: own !== undefined ? path.slice(own.path.length) : path === "/" ? "" : path,
      basePath,
      revision: mount.revision.name
    }
    if (mount !== root && own === undefined) {
      return { ...match, problem: outsideMounts(path, named, basePath) }
    }
    if (header === undefined || header === match.revision) return match
    if (!known.has(header)) return { ...match, problem: unknownRevision(header, known) }
    return own === undefined
      ? { ...match, revision: header }
      : { ...match, problem: conflict(own, basePath, header) }
  }
}

const outsideMounts = (
  path: string,
  mounts: ReadonlyArray<Mount>,
  basePath: string
): Problem => ({
  name: "unknown-path",
  message: `There is no path ${
    JSON.stringify((basePath + path).slice(0, 200))
  }: all paths start with ${mounts.map((mount) => mountedPath(mount, "", basePath)).join(" or ")}`
})

const unknownRevision = (header: string, known: ReadonlySet<string>): Problem => {
  const rule = `one of ${[...known].join(", ")}`
  const message = `Header Api-Revision names the unknown revision ${
    JSON.stringify(header.slice(0, 100))
  }: expected ${rule}`
  return { name: "unknown-revision", message, faults: [fault(header, rule, message)] }
}

const conflict = (mount: Mount, basePath: string, header: string): Problem => {
  const { revision } = mount
  const message = `Path ${mountedPath(mount, "", basePath)} is revision ${
    JSON.stringify(revision.name)
  }, header Api-Revision selects ${
    JSON.stringify(header)
  }: leave the header out or use the path of that revision`
  return { name: "revision-conflict", message, faults: [fault(header, revision.name, message)] }
}

const fault = (value: string, rule: string, message: string): InputFault => ({
  in: "header",
  parameter: "Api-Revision",
  value,
  rule,
  message
})

export interface Match<T> {
  readonly target: T
  /** The path segments of the parameters in order, percent-encoded. */
  readonly values: ReadonlyArray<string>
}

export interface Router<T> {
  /** Returns the match of a path, which is compared exactly, including case and escapes. */
  readonly find: (path: string) => Match<T> | undefined
  /**
   * Returns the match of a path without the slash at its end, to which the path is redirected; the
   * path itself must have no match.
   */
  readonly findWithoutSlash: (path: string) => Match<T> | undefined
  /** Returns the known path that is most similar to an unknown one, if any is similar. */
  readonly nearest: (path: string) => string | undefined
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  target: T | undefined
}

/** Characters of a segment that are compared with known segments. */
const comparedMax = 100

/**
 * Returns a router. It is a tree of segments: a literal segment takes precedence over a parameter,
 * without backtracking. Throws if two paths differ only in the names of their parameters.
 *
 * @param targets by path with parameters in braces, such as `/exits/{batchNum}/{accountIndex}`; the
 * path of the root is empty
 */
export const makeRouter = <T>(targets: ReadonlyMap<string, T>): Router<T> => {
  const makeNode = (): Node<T> => ({
    literals: new Map(),
    parameter: undefined,
    target: undefined
  })
  const root = makeNode()
  const paths = [...targets.keys()]
  for (const [path, target] of targets) {
    let node = root
    for (const segment of segments(path)) {
      if (isParameter(segment)) node = node.parameter ??= makeNode()
      else {
        const next = node.literals.get(segment) ?? makeNode()
        node.literals.set(segment, next)
        node = next
      }
    }
    if (node.target !== undefined) throw new Error(`Two routes have the path ${path}`)
    node.target = target
  }
  const find = (path: string): Match<T> | undefined => {
    if (path !== "" && path.charCodeAt(0) !== slash) return undefined
    const values: Array<string> = []
    let node: Node<T> = root
    for (let start = 0; start < path.length;) {
      const slashAt = path.indexOf("/", start + 1)
      const end = slashAt < 0 ? path.length : slashAt
      const segment = path.slice(start + 1, end)
      const literal = node.literals.get(segment)
      if (literal !== undefined) node = literal
      else if (node.parameter !== undefined && segment !== "") {
        values.push(segment)
        node = node.parameter
      } else return undefined
      start = end
    }
    return node.target === undefined ? undefined : { target: node.target, values }
  }
  const nearest = (path: string): string | undefined => {
    const unknown = segments(path).filter((segment) => segment !== "")
    const head = (unknown[0] ?? "").slice(0, comparedMax)
    const nearestHead = nearestName(head, paths.flatMap((path) => segments(path).slice(0, 1)))
    if (nearestHead === undefined) return undefined
    // among the paths with this first segment, prefer one of the same length
    const distance = (path: string) => Math.abs(segments(path).length - unknown.length)
    return paths.filter((path) => segments(path)[0] === nearestHead)
      .sort((a, b) => distance(a) - distance(b))[0]
  }
  return {
    find,
    findWithoutSlash: (path) => path.endsWith("/") ? find(path.slice(0, -1)) : undefined,
    nearest
  }
}

const slash = 47
const segments = (path: string) => path === "" ? [] : path.slice(1).split("/")
const isParameter = (segment: string) => segment.startsWith("{")
