import { SpanKind, trace } from "@opentelemetry/api"
import { HttpInstrumentation } from "@opentelemetry/instrumentation-http"
import { type SpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"
import { subscribe } from "node:diagnostics_channel"
import { appendFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { createRequire } from "node:module"

/*
 * Preloaded into the program with `node --import`: traces its HTTP servers as operators do, and
 * appends one line of JSON to the file `SPANS_FILE` for each server span and for each message of
 * Node's diagnostics channel.
 */

/** A line of the file: a span that ended, or a request that the channel reported. */
export interface Observation {
  readonly kind: "span" | "channel"
  readonly pid: number
  readonly method: string
  readonly url: string
  /** Status of the answer; undefined for the channel. */
  readonly status?: number
}

const file = process.env.SPANS_FILE!
const write = (observation: Omit<Observation, "pid">): void =>
  appendFileSync(file, `${JSON.stringify({ ...observation, pid: process.pid })}\n`)

const processor: SpanProcessor = {
  onStart: () => undefined,
  onEnd: ({ attributes, kind }) => {
    if (kind !== SpanKind.SERVER) return
    const query = attributes["url.query"]
    write({
      kind: "span",
      method: String(attributes["http.request.method"]),
      url: `${String(attributes["url.path"])}${query === undefined ? "" : `?${String(query)}`}`,
      status: Number(attributes["http.response.status_code"])
    })
  },
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve()
}

trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }))
new HttpInstrumentation().enable()
// the instrumentation patches the module when it is required
createRequire(import.meta.url)("node:http")

subscribe("http.server.request.start", (message) => {
  const { method, url } = (message as { readonly request: IncomingMessage }).request
  write({ kind: "channel", method: method!, url: url! })
})
