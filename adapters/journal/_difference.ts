import { isDeepStrictEqual } from "node:util"

/** The first path at which two values differ. */
export interface Difference {
  readonly path: string
  readonly found: string
  readonly expected: string
}

/** Returns the first difference of two values, or undefined if they are equal. */
export function differenceOf(
  found: unknown,
  expected: unknown,
  path: string
): Difference | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined
  if (
    typeof found !== "object" || typeof expected !== "object" || found === null || expected === null
  ) {
    return { path, found: String(found), expected: String(expected) }
  }
  for (const name of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const difference = differenceOf(
      (found as Record<string, unknown>)[name],
      (expected as Record<string, unknown>)[name],
      `${path}/${name}`
    )
    if (difference !== undefined) return difference
  }
  return undefined
}
