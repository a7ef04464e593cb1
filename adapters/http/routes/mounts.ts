import { type InputFault, type Revision, revisionList } from "../../../core/contract/mod.ts"
import type { Problem } from "../message/mod.ts"

/** A revision of the contract, and the path at which it is served. */
export interface Mount {
  /** `/` for the default mount, otherwise a path such as `/earlier`, without a slash at the end. */
  readonly path: string
  readonly revision: Revision
}

/**
 * The mounts if the options of an application set none: `later` at `/` and `earlier` at
 * `/earlier`.
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
 * The mount and the revision of a request, and the path within the mount. Has a problem if no mount
 * matches the path, or if path and header contradict each other.
 */
export interface MountMatch {
  readonly mount: Mount
  /** Starts with a slash; empty for the mount itself. */
  readonly path: string
  readonly revision: string
  readonly problem?: Problem
}

/**
 * Returns a function that matches a request by its path and its header `Api-Revision`. At the
 * default mount the header selects the revision. Any other mount has one revision, which a header
 * must name. Throws if the mounts are invalid.
 */
export const makeMountMatcher = (mounts: ReadonlyArray<Mount>) => {
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

  return (path: string, header: string | undefined): MountMatch => {
    for (const mount of named) {
      if (
        !path.startsWith(mount.path) ||
        (path.length > mount.path.length && path[mount.path.length] !== "/")
      ) continue
      const match = { mount, path: path.slice(mount.path.length), revision: mount.revision.name }
      if (header === undefined || header === mount.revision.name) return match
      return {
        ...match,
        problem: known.has(header) ? conflict(mount, header) : unknownRevision(header, known)
      }
    }
    const match = {
      mount: defaultMount,
      path: path === "/" ? "" : path,
      revision: defaultMount.revision.name
    }
    if (root === undefined) return { ...match, problem: outsideMounts(path, named) }
    if (header === undefined || header === match.revision) return match
    return known.has(header)
      ? { ...match, revision: header }
      : { ...match, problem: unknownRevision(header, known) }
  }
}

const outsideMounts = (path: string, mounts: ReadonlyArray<Mount>): Problem => ({
  name: "unknown-path",
  message: `There is no path ${JSON.stringify(path.slice(0, 200))}: everything is below ${
    mounts.map((mount) => mount.path).join(" or ")
  }`
})

const unknownRevision = (header: string, known: ReadonlySet<string>): Problem => {
  const rule = `one of ${[...known].join(", ")}`
  const message = `Header Api-Revision names the unknown revision ${
    JSON.stringify(header.slice(0, 100))
  }: expected ${rule}`
  return { name: "unknown-revision", message, faults: [fault(header, rule, message)] }
}

const conflict = ({ path, revision }: Mount, header: string): Problem => {
  const message = `Path ${path} is revision ${
    JSON.stringify(revision.name)
  }, header Api-Revision says ${
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
