/**
 * Percent-decodes one part of a path or query; returns undefined if it is malformed or not UTF-8.
 */
export const percentDecode = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * One pair of a query string: the source text, and the decoded name and value if decoding succeeds.
 */
export interface QueryPair {
  readonly text: string
  readonly name: string | undefined
  readonly value: string | undefined
}

/** Returns the pairs of a query string in order. A plus sign is a space. */
export const queryPairs = (query: string): ReadonlyArray<QueryPair> => {
  const pairs: Array<QueryPair> = []
  if (query === "") return pairs
  for (const text of query.split("&")) {
    if (text === "") continue
    const equals = text.indexOf("=")
    const name = plusDecode(equals < 0 ? text : text.slice(0, equals))
    const value = equals < 0 ? "" : plusDecode(text.slice(equals + 1))
    pairs.push({ text, name, value })
  }
  return pairs
}

const plusDecode = (text: string) =>
  percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text)
