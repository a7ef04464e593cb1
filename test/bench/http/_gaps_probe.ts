/* Reads the clock in a loop and prints the gaps: node _gaps_probe.ts MS. */
const gapMinMs = 0.2

const gaps: Array<number> = []
const untilMs = performance.now() + Number(process.argv[2])
for (let lastMs = performance.now(), nowMs = lastMs; nowMs < untilMs; lastMs = nowMs) {
  nowMs = performance.now()
  if (nowMs - lastMs >= gapMinMs) gaps.push(nowMs - lastMs)
}
console.log(JSON.stringify(gaps))
