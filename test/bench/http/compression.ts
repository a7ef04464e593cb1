import { showFigure } from "../_figures.ts"
import { startServer } from "../_servers.ts"
import { benchAsked, type Rounds } from "./http.ts"

const history = (limit: number) => `/transactions-history?limit=${limit}`

/**
 * Prints the share of the bytes in which pages leave, and measures requests per second of cached
 * compressed pages ÷ the same pages uncompressed, on one server in turn in each round.
 */
export const benchCompression = async (options: Rounds): Promise<void> => {
  const server = await startServer(import.meta.resolve("./_our_server.ts"), [String(64 * 2 ** 20)])
  try {
    for (const limit of [3, 20, 100, 2000]) {
      const path = history(limit)
      const plainBytes = await bodyBytes(server.port, path, "identity")
      for (const coding of ["zstd", "br", "gzip"]) {
        const share = await bodyBytes(server.port, path, coding) / plainBytes
        showFigure({
          name: `bytes of ${limit} transactions, ${coding}`,
          bound: limit === 2000 ? "< 15 %" : undefined,
          measured: `${(share * 100).toFixed(1)} %`,
          conditions: `of ${plainBytes} bytes`
        })
      }
    }
    for (const limit of [3, 20, 100, 2000]) {
      const paths = [history(limit)]
      await benchAsked(
        `${limit} transactions, cached, zstd ÷ uncompressed`,
        { ours: { paths, headers: ["Accept-Encoding: zstd"] }, raw: { paths } },
        server,
        server,
        { ...options, bound: "≥ 1" }
      )
    }
  } finally {
    await server.stop()
  }
}

const bodyBytes = async (port: number, path: string, coding: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { "accept-encoding": coding }
  })
  await response.arrayBuffer()
  return Number(response.headers.get("content-length"))
}
