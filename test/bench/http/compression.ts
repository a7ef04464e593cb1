import { showFigure } from "../_figures.ts"
import { type Rounds, showRates } from "../_rates.ts"
import { startNode } from "../_servers.ts"

const limits = [3, 20, 100, 2000]
const history = (limit: number) => `/transactions-history?limit=${limit}`

/**
 * Prints the share of the bytes in which pages leave, and measures requests per second of cached
 * compressed pages ÷ the same pages uncompressed, on one server in turn in each round.
 */
export const benchCompression = async (rounds: Rounds): Promise<void> => {
  await using server = await startNode(["memory", 2 ** 26])
  for (const limit of limits) {
    const plainBytes = await bodyBytes(server.port, history(limit), "identity")
    for (const coding of ["zstd", "br", "gzip"]) {
      const share = await bodyBytes(server.port, history(limit), coding) / plainBytes
      showFigure({
        name: `bytes of ${limit} transactions, ${coding}`,
        bound: limit === 2000 ? "< 15 %" : undefined,
        measured: `${(share * 100).toFixed(1)} %`,
        conditions: `of ${plainBytes} bytes`
      })
    }
  }
  for (const limit of limits) {
    const plain = { server, paths: [history(limit)] }
    await showRates(
      { name: `${limit} transactions, cached, zstd ÷ uncompressed`, bound: "≥ 1" },
      { ...plain, headers: ["Accept-Encoding: zstd"] },
      plain,
      rounds
    )
  }
}

const bodyBytes = async (port: number, path: string, coding: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { "accept-encoding": coding }
  })
  await response.arrayBuffer()
  return Number(response.headers.get("content-length"))
}
