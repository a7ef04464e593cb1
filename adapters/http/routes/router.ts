import { nearestName } from "../../../core/contract/mod.ts"

/** A target, and its path with parameters in braces: `/exits/{batchNum}/{accountIndex}`. */
export interface Route<T> {
  readonly path: string
  readonly target: T
}

export interface Match<T> {
  readonly target: T
  /** The path segments of the parameters in order, percent-encoded. */
  readonly values: ReadonlyArray<string>
}

export interface Router<T> {
  /** Returns the match of a path, which is compared exactly, including case and escapes. */
  readonly find: (path: string) => Match<T> | undefined
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
 * without backtracking. Throws if two routes have the same path.
 */
export const makeRouter = <T>(routes: ReadonlyArray<Route<T>>): Router<T> => {
  const makeNode = (): Node<T> => ({
    literals: new Map(),
    parameter: undefined,
    target: undefined
  })
  const root = makeNode()
  for (const { path, target } of routes) {
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
    if (path.charCodeAt(0) !== slash) return undefined
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
    const nearestHead = nearestName(head, routes.map((route) => segments(route.path)[0]!))
    // among the paths with this first segment, prefer one of the same length
    const distance = (route: Route<T>) => Math.abs(segments(route.path).length - unknown.length)
    return routes.filter((route) => segments(route.path)[0] === nearestHead)
      .sort((a, b) => distance(a) - distance(b))[0]?.path
  }
  return { find, nearest }
}

const slash = 47
const segments = (path: string) => path.slice(1).split("/")
const isParameter = (segment: string) => segment.startsWith("{")
