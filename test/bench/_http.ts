import { load, median } from "./_load.ts"
import { startServer } from "./_servers.ts"

const paths = { "one token": "/tokens/0", "one account": "/accounts/zk:ETH:256", "20 transactions": "/transactions-history?limit=20" }
const textsMaxDefault = 64 * 2 ** 20

/**
 * Requests a second of ours and of the peer, by turns in each round; the ratio of each round counts. Each path is asked for
 * again and again: "kept" has its objects written already, "written anew" is told to keep nothing, as for a first reader.
 */
export const benchHttp = async (options: { readonly rounds: number; readonly durationMs: number }) => {
  for (const [kind, textsMax] of [["kept", textsMaxDefault], ["written anew", 0]] as const) {
    const ours = await startServer("./_our_server.ts", [String(textsMax), "0"])
    const raw = await startServer("./_raw_server.ts", [`http://127.0.0.1:${ours.port}`, ...Object.values(paths)])
    try {
      for (const [name, path] of Object.entries(paths)) await benchPaths(`${name}, ${kind}`, [path], ours.port, raw.port, options)
    } finally {
      await raw.stop()
      await ours.stop()
    }
  }
}

/** One kind of request to ours and to a peer. */
export const benchPaths = async (
  name: string, paths: ReadonlyArray<string>, ourPort: number, rawPort: number, options: { readonly rounds: number; readonly durationMs: number }
) => {
  const figures = { ours: [] as Array<number>, raw: [] as Array<number>, ratio: [] as Array<number> }
  for (let round = -1; round < options.rounds; round++) {
    const measure = (port: number) => load({ port, paths, connections: 32, durationMs: round < 0 ? 1000 : options.durationMs })
    // which one goes first changes from round to round, so that a drift of the machine favours neither
    const first = round % 2 === 0 ? ourPort : rawPort
    const a = await measure(first)
    const b = await measure(first === ourPort ? rawPort : ourPort)
    if (round < 0) continue
    const [ours, raw] = first === ourPort ? [a, b] : [b, a]
    figures.ours.push(ours)
    figures.raw.push(raw)
    figures.ratio.push(ours / raw)
  }
  const { median: ratio, spread } = median(figures.ratio)
  const rates = `${Math.round(median(figures.ours).median)} ÷ ${Math.round(median(figures.raw).median)} requests/s`
  console.log(`  ${name.padEnd(48)} ${ratio.toFixed(2)} ± ${spread.toFixed(2)}   (${rates})`)
}
