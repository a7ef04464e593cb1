import { Result } from "effect"

/** Percent-decodes one part of a path or query; undefined where it is malformed or no UTF-8. */
export const percentDecode = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The pairs of a query string, in order; fails with the pair that cannot be decoded. A plus sign is a blank. */
export const queryPairs = (query: string): Result.Result<ReadonlyArray<readonly [string, string]>, string> => {
  const pairs: Array<readonly [string, string]> = []
  if (query === "") return Result.succeed(pairs)
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const name = plusDecode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? "" : plusDecode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return Result.fail(pair)
    pairs.push([name, value])
  }
  return Result.succeed(pairs)
}

const plusDecode = (text: string) => percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text)
