import { load, median } from "./_load.ts"
import { startServer } from "./_servers.ts"

const paths = { "one token": "/tokens/0", "one account": "/accounts/zk:ETH:256", "20 transactions": "/transactions-history?limit=20" }

/** Requests a second of ours and of the peer, by turns in each round; the ratio of each round counts. */
export const benchHttp = async (options: { readonly rounds: number; readonly durationMs: number }) => {
  const ours = await startServer("./_our_server.ts", [])
  const raw = await startServer("./_raw_server.ts", [`http://127.0.0.1:${ours.port}`, ...Object.values(paths)])
  try {
    for (const [name, path] of Object.entries(paths)) {
      const figures = { ours: [] as Array<number>, raw: [] as Array<number>, ratio: [] as Array<number> }
      for (let round = -1; round < options.rounds; round++) {
        const measure = (port: number) => load({ port, path, connections: 32, durationMs: round < 0 ? 1000 : options.durationMs })
        // which one goes first changes from round to round, so that a drift of the machine favours neither
        const [a, b] = round % 2 === 0
          ? [await measure(ours.port), await measure(raw.port)]
          : (await measure(raw.port).then(async (b) => [await measure(ours.port), b] as const))
        if (round < 0) continue
        figures.ours.push(a)
        figures.raw.push(b)
        figures.ratio.push(a / b)
      }
      const { median: ratio, spread } = median(figures.ratio)
      console.log(`  ${name.padEnd(16)} ${ratio.toFixed(2)} ± ${spread.toFixed(2)}   (${Math.round(median(figures.ours).median)} ÷ ${Math.round(median(figures.raw).median)} requests/s)`)
    }
  } finally {
    await raw.stop()
    await ours.stop()
  }
}
