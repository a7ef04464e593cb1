import { Effect } from "effect"
import { fetchHandler } from "../../adapters/http/mod.ts"

export interface Fault {
  readonly in: string
  readonly pointer?: string
  readonly value: string | null
  readonly rule: string
  readonly message: string
}
export interface NodeResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const handler = fetchHandler

/** Sends a request to the fetch handler of the node. */
export const send = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(handler, (fetch) =>
    Effect.promise(async (): Promise<NodeResponse> => {
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
  send(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })

export const jsonOf = (nodeResponse: NodeResponse) =>
  JSON.parse(nodeResponse.text) as { readonly [name: string]: unknown }
export const typeOf = (nodeResponse: NodeResponse) =>
  String(jsonOf(nodeResponse).type).replace("urn:rollup-node-api:problem:", "")
export const faultsOf = (nodeResponse: NodeResponse) =>
  (jsonOf(nodeResponse).errors ?? []) as ReadonlyArray<Fault>
export const pointersOf = (nodeResponse: NodeResponse) =>
  faultsOf(nodeResponse).map(({ pointer }) => pointer)
