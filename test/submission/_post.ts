import { Effect } from "effect"
import { fetchHandler } from "../../adapters/http/mod.ts"

export interface Fault {
  readonly in: string
  readonly pointer?: string
  readonly value: string | null
  readonly rule: string
  readonly message: string
}
export interface Said {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const handler = fetchHandler

/** Sends a request to the fetch handler of the node. */
export const asked = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(handler, (fetch) =>
    Effect.promise(async (): Promise<Said> => {
      const response = await fetch(
        new Request(
          `http://node${path}`,
          {
            ...init,
            ...(init.body instanceof ReadableStream ? { duplex: "half" } : {})
          } as RequestInit
        )
      )
      return { status: response.status, headers: response.headers, text: await response.text() }
    }))

export const post = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  asked(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

export const jsonOf = (said: Said) => JSON.parse(said.text) as { readonly [name: string]: unknown }
export const typeOf = (said: Said) =>
  String(jsonOf(said).type).replace("urn:rollup-node-api:problem:", "")
export const faultsOf = (said: Said) => (jsonOf(said).errors ?? []) as ReadonlyArray<Fault>
export const pointersOf = (said: Said) => faultsOf(said).map(({ pointer }) => pointer)
