import type { HeaderRecord, HttpAnswer, HttpRequest } from "./message/mod.ts"

/**
 * Returns the redirect from a path with a slash at its end to the same path without it. The path
 * without the slash must be a known one: then its first segment is not empty, so that the location
 * names no other host.
 *
 * @param headers the headers of every answer
 */
export const redirectWithoutSlash = (
  { method, url }: HttpRequest,
  answerHeaders: HeaderRecord
): HttpAnswer => {
  const { "content-type": _, ...headers } = answerHeaders
  const mark = url.indexOf("?")
  const end = mark < 0 ? url.length : mark
  return {
    // 307 makes the client repeat method and body
    status: method === "GET" || method === "HEAD" ? 301 : 307,
    headers: { ...headers, location: url.slice(0, end - 1) + url.slice(end) },
    body: ""
  }
}
