import type { HeaderRecord } from "./_headers.ts"
import type { HttpAnswer } from "./message.ts"
import { overloaded, problemJson, problems } from "./problem.ts"

/** Headers of which the very same object is in many answers, each of which has a length of its own: their head is made once. */
export const sharedHeaders = new WeakSet<HeaderRecord>()

/** An URL that stands in a problem as it is: its path begins with one slash, nothing is escaped, and it is not too long to be repeated. */
const plainUrl = /^\/(?!\/)[\w.~!$&'()*+,;=:@/?-]{0,499}$/u

/**
 * Refusals of what is too much to answer, of which there are thousands a second: those that name the same snapshot share their headers, and
 * the text is there but for the URL. Undefined where the URL cannot be repeated as it is.
 */
export const makeShedding = (limit: "busyMs" | "requestsMax") => {
  const problem = overloaded(limit)
  const { name } = problem
  const { status } = problems[name]
  // the URL is the last member
  const before = problemJson(problem, "/").slice(0, -`/"}`.length)
  const headersOf = new WeakMap<HeaderRecord, HeaderRecord>()

  /** @param common the headers of all answers of the revision and the snapshot, one object for each */
  return (common: HeaderRecord, url: string): HttpAnswer | undefined => {
    if (!plainUrl.test(url)) return undefined
    let headers = headersOf.get(common)
    if (headers === undefined) {
      headersOf.set(common, headers = { ...common, ...problem.headers })
      sharedHeaders.add(headers)
    }
    return { status, headers, body: `${before}${url}"}`, isAscii: true, problem: name, limit }
  }
}
