import type { LoadResult, Timings } from "./_load.ts"
import { longMs, type Waits } from "./_processors.ts"

/** Returns a quantile of the times. */
export const quantile = (times: ArrayLike<number>, share: number): number => {
  const sorted = Float64Array.from(times).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const row = (times: ArrayLike<number>): string =>
  [["p50", 0.5], ["p99", 0.99], ["max", 1]].map(([name, share]) =>
    `${name} ${quantile(times, Number(share)).toFixed(1).padStart(6)}`
  ).join("  ") + " ms"

/** Returns the times of requests during which no process waited long for a processor. */
export const undisturbed = (
  { sentMs, tookMs }: Timings,
  waits: ReadonlyArray<Waits>
): Float64Array => {
  const long = waits.flatMap((each) => each.long)
  return tookMs.filter((took, i) =>
    !long.some(([fromMs, toMs]) => sentMs[i]! < toMs && sentMs[i]! + took > fromMs)
  )
}

/** Prints the results of a phase. */
export const describePhase = (
  name: string,
  { connectedMs, kinds, lateMs, seconds }: LoadResult,
  waits: readonly [server: Waits, clients: Waits]
): string => {
  const lines: Array<readonly [what: string, text: string]> = []
  for (const [kind, { accepted, failed, refused }] of Object.entries(kinds)) {
    for (const [what, timings] of [["answered", accepted], ["refused", refused]] as const) {
      if (timings.tookMs.length > 0) {
        lines.push([
          `${kind}, ${what}`,
          `${(timings.tookMs.length / seconds).toFixed(0).padStart(5)} /s  ${row(timings.tookMs)}`
        ])
      }
      const others = undisturbed(timings, waits)
      if (others.length > 0 && others.length < timings.tookMs.length) {
        lines.push([
          "  undisturbed",
          `${(others.length / seconds).toFixed(0).padStart(5)} /s  ${row(others)}`
        ])
      }
    }
    if (failed > 0) lines.push([`${kind}, failed`, String(failed)])
  }
  lines.push(["clients late", `          ${row(lateMs)}`])
  if (connectedMs.length > 0) {
    lines.push([`${connectedMs.length} connections`, `          ${row(connectedMs)}`])
  }
  const waited = waits.map(({ long, share }) =>
    `${(share * 100).toFixed(1)} % (${long.length} times for more than ${longMs} ms)`
  )
  lines.push(["no processor", `server ${waited[0]!}, clients ${waited[1]!}`])
  return lines.map(([what, text], i) =>
    `${(i === 0 ? name : "").padEnd(11)} ${what.padEnd(20)} ${text}`
  ).join("\n")
}
