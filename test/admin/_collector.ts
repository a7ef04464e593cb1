import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** An attribute; its value is an object with one member, which names the type. */
interface Attribute {
  readonly key: string
  readonly value: { readonly [type: string]: unknown }
}

interface Span {
  readonly traceId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: ReadonlyArray<Attribute>
}

interface OtlpMetric {
  readonly name: string
  readonly sum: {
    readonly isMonotonic: boolean
    readonly dataPoints: ReadonlyArray<{ readonly asDouble: number }>
  }
  readonly histogram: {
    readonly dataPoints: ReadonlyArray<{
      readonly count: number
      readonly bucketCounts: ReadonlyArray<number>
      readonly explicitBounds: ReadonlyArray<number>
    }>
  }
}

/** What a process exports: spans or metrics. */
interface Exported {
  readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
  readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<OtlpMetric> }>
}

interface Collected {
  readonly path: string
  readonly headers: { readonly [name: string]: unknown }
  readonly body: { readonly [member: string]: ReadonlyArray<Exported> }
}

/** Returns the values of attributes by name. */
export const valuesOf = (attributes: ReadonlyArray<Attribute>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** Starts an OpenTelemetry collector that stores the requests it receives. */
export const openCollector = async () => {
  const collected: Array<Collected> = []
  const server: Server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    collected.push({
      path: request.url!,
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as never
    })
    response.end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const exported = (path: string, member: string) =>
    collected.flatMap((each) => each.path === path ? each.body[member]! : [])
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collected,
    exported,
    spans: () =>
      exported("/v1/traces", "resourceSpans").flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans)
      ),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
