import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Call {
  readonly id: number
  readonly method: string
}

/** Starts an Ethereum node that knows only the id of its chain: all that the library asks for. */
export const startEthereum = async (chainId: number) => {
  const results = new Map([["eth_chainId", `0x${chainId.toString(16)}`], [
    "net_version",
    String(chainId)
  ]])
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => body += String(chunk))
    request.on("end", () => {
      const { id, method } = JSON.parse(body) as Call
      const result = results.get(method)
      const outcome = result === undefined
        ? { error: { code: -32_601, message: `No method ${method}` } }
        : { result }
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }))
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
