import { nearestName } from "../../../core/contract/mod.ts"

/**
 * A path with parameters in braces, `/exits/{batchNum}/{accountIndex}`, and what is found there.
 */
export interface Route<T> {
  readonly path: string
  readonly target: T
}

export interface Match<T> {
  readonly target: T
  /** The segments that stand for parameters, still percent-encoded, in their order. */
  readonly values: ReadonlyArray<string>
}

export interface Router<T> {
  /** Finds what stands at a path, which is read exactly: case, slashes and escapes matter. */
  readonly find: (path: string) => Match<T> | undefined
  /** The known path that is nearest to an unknown one, if any is near. */
  readonly nearest: (path: string) => string | undefined
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  parameter: Node<T> | undefined
  target: T | undefined
}

/** Characters of a segment that are compared with the known ones. */
const comparedMax = 100

/** A tree of segments: a literal segment wins over a parameter, without a way back. */
export const makeRouter = <T>(routes: ReadonlyArray<Route<T>>): Router<T> => {
  const node = (): Node<T> => ({ literals: new Map(), parameter: undefined, target: undefined })
  const root = node()
  for (const { path, target } of routes) {
    let at = root
    for (const segment of segments(path)) {
      if (isParameter(segment)) at = at.parameter ??= node()
      else {
        const next = at.literals.get(segment) ?? node()
        at.literals.set(segment, next)
        at = next
      }
    }
    if (at.target !== undefined) throw new Error(`Two routes stand at ${path}`)
    at.target = target
  }
  const find = (path: string): Match<T> | undefined => {
    if (path.charCodeAt(0) !== slash) return undefined
    const values: Array<string> = []
    let at: Node<T> = root
    for (let start = 0; start < path.length;) {
      const slashAt = path.indexOf("/", start + 1)
      const end = slashAt < 0 ? path.length : slashAt
      const segment = path.slice(start + 1, end)
      const literal = at.literals.get(segment)
      if (literal !== undefined) at = literal
      else if (at.parameter !== undefined && segment !== "") {
        values.push(segment)
        at = at.parameter
      } else return undefined
      start = end
    }
    return at.target === undefined ? undefined : { target: at.target, values }
  }
  const nearest = (path: string): string | undefined => {
    const given = segments(path).filter((segment) => segment !== "")
    const head = (given[0] ?? "").slice(0, comparedMax)
    const found = nearestName(head, routes.map((route) => segments(route.path)[0]!))
    // of the paths that begin alike, the one that is as long
    const distance = (route: Route<T>) => Math.abs(segments(route.path).length - given.length)
    return routes.filter((route) => segments(route.path)[0] === found).sort((a, b) =>
      distance(a) - distance(b)
    )[0]?.path
  }
  return { find, nearest }
}

const slash = 47
const segments = (path: string) => path.slice(1).split("/")
const isParameter = (segment: string) => segment.startsWith("{")
