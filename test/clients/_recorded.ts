import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { jsonOf, type NodeResponse, post, send } from "../submission/_post.ts"

/*
 * The requests that published versions of the client library send. `recorded_requests.json` has one
 * line for each request and the versions that send it.
 */

export interface Body {
  readonly [name: string]: unknown
}

export interface Recorded {
  readonly versions: ReadonlyArray<string>
  readonly method: "GET" | "POST"
  readonly url: string
  readonly body?: Body
}

export const recorded = JSON.parse(
  readFileSync(new URL("recorded_requests.json", import.meta.url), "utf8")
) as ReadonlyArray<Recorded>

/** Returns the recorded body of a post to a path below `/v1`. */
export const bodyOf = (path: string, type?: string): Body =>
  recorded.find(({ body, url }) => url === `/v1/${path}` && body?.type === type)!.body!

export const postBody = (path: string, body: unknown) => post(path, JSON.stringify(body))

export const put = (path: string, text: string) =>
  send(path, { method: "PUT", body: text, headers: { "content-type": "application/json" } })

/** Returns the object that a path shows. */
export const shownAt = (path: string) => Effect.map(send(path), jsonOf)

/** Returns status, published code and type of a refusal. */
export const errorOf = (answer: NodeResponse) => {
  const { code, type } = jsonOf(answer)
  return [answer.status, code, type]
}

/** Returns the body without the request properties, which the published Go client leaves out. */
export const withoutRequest = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).filter(([name]) => name === "requestOffset" || !name.startsWith("request"))
  )
