import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Collected {
  readonly path: string
  readonly headers: { readonly [name: string]: unknown }
  readonly body: never
}

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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collected,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
