import { load } from "../bench/_load.ts"
const paths = process.argv.slice(2)
for (const path of paths) {
  const ratios: number[] = []; let o = 0, r = 0
  for (let i = 0; i < 5; i++) {
    const ours = await load({ port: 18123, path, connections: 16, durationMs: 1000 })
    const raw = await load({ port: 18124, path, connections: 16, durationMs: 1000 })
    ratios.push(ours / raw); o = ours; r = raw
  }
  console.log(path, "ours", Math.round(o), "raw", Math.round(r), "ratios", ratios.map((x) => x.toFixed(2)).join(" "))
}
