import { Effect } from "effect"
import type { HttpLimits } from "./limit.ts"
import type { HttpRequest } from "./message.ts"
import type { Problem, ProblemName } from "./problem.ts"

/** Returns the problem if the URL, the headers or the declared length exceed a limit. */
export const exceededLimit = (
  { url, headers }: HttpRequest,
  limits: HttpLimits
): Problem | undefined => {
  if (url.length > limits.urlBytesMax) {
    return {
      name: "url-too-long",
      limit: "urlBytesMax",
      message: `The URL has ${url.length} bytes: at most ${limits.urlBytesMax} are read`
    }
  }
  let bytes = 0
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    if (typeof value === "string") bytes += name.length + value.length + 4
    else for (const each of value) bytes += name.length + each.length + 4
  }
  if (bytes > limits.headerBytesMax) {
    return {
      name: "headers-too-large",
      limit: "headerBytesMax",
      message: `The headers have ${bytes} bytes: at most ${limits.headerBytesMax} are read`
    }
  }
  const length = headers["content-length"]
  return length !== undefined && Number(length) > limits.bodyBytesMax
    ? bodyTooLarge(limits)
    : undefined
}

/**
 * Reads a body of undeclared length that the operation does not use. Returns the problem if the
 * body is too long or cannot be read, and undefined without such a body.
 */
export const readUndeclaredBody = (
  { headers, body }: HttpRequest,
  limits: HttpLimits
): Effect.Effect<Problem | undefined> | undefined =>
  headers["transfer-encoding"] === undefined || body === undefined
    ? undefined
    : Effect.match(body(limits.bodyBytesMax), {
      onSuccess: () => undefined,
      onFailure: (name) => unreadableBody(name, limits)
    })

/** Returns the problem for a body that could not be read. */
export const unreadableBody = (name: ProblemName, limits: HttpLimits): Problem =>
  name === "body-too-large" ? bodyTooLarge(limits) : { name, message: "The body cannot be read" }

const bodyTooLarge = ({ bodyBytesMax }: HttpLimits): Problem => ({
  name: "body-too-large",
  limit: "bodyBytesMax",
  message: `The body is too large: at most ${bodyBytesMax} bytes are read`
})
