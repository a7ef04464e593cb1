import { request } from "node:http"
import { createServer } from "node:https"

export interface HttpsProxyOptions {
  readonly port: number
  readonly targetPort: number
  readonly key: string
  readonly certificate: string
}

/**
 * Starts a proxy that does what the nginx configuration of the guide does: it adds TLS, passes the
 * path on as it is, and replaces `X-Forwarded-For` by the address of the client.
 *
 * @returns a function that closes the proxy
 */
export const startHttpsProxy = (
  { certificate, key, port, targetPort }: HttpsProxyOptions
): Promise<() => Promise<void>> =>
  new Promise((resolve, reject) => {
    const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
      const { remoteAddress } = incoming.socket
      const headers = { ...incoming.headers, "x-forwarded-for": remoteAddress }
      const { method, url } = incoming
      const upstream = request(
        { host: "127.0.0.1", port: targetPort, method, path: url, headers },
        (response) => {
          outgoing.writeHead(response.statusCode!, response.headers)
          response.pipe(outgoing)
        }
      )
      upstream.on("error", () => outgoing.writeHead(502).end())
      incoming.pipe(upstream)
    })
    server.on("error", reject)
    server.listen(port, () =>
      resolve(() =>
        new Promise((closed) => {
          server.close(() => closed())
          server.closeAllConnections()
        })
      ))
  })
