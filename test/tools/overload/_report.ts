import { quantile } from "../../bench/_load.ts"
import type { LoadResult, Timings } from "./_generator.ts"
import { longMs, type Waits } from "./_processors.ts"

/** Returns the times of requests during which no process waited long for a processor. */
export const undisturbed = (
  { sentMs, tookMs }: Timings,
  waits: ReadonlyArray<Waits>
): ReadonlyArray<number> => {
  const long = waits.flatMap((each) => each.long)
  return tookMs.filter((took, i) =>
    !long.some(([fromMs, toMs]) => sentMs[i]! < toMs && sentMs[i]! + took > fromMs)
  )
}

/** Prints the results of a phase, in milliseconds. */
export const printPhase = (
  name: string,
  { connectedMs, kinds, lateMs, seconds }: LoadResult,
  waits: readonly [server: Waits, clients: Waits]
): void => {
  const times: Record<string, ReadonlyArray<number>> = {}
  for (const [kind, { accepted, failed, refused }] of Object.entries(kinds)) {
    for (const [what, timings] of [["answered", accepted], ["refused", refused]] as const) {
      times[`${kind}, ${what}`] = timings.tookMs
      times[`${kind}, ${what}, undisturbed`] = undisturbed(timings, waits)
    }
    if (failed > 0) console.log(`${kind}: ${failed} failed`)
  }
  times["clients late"] = lateMs
  times["new connections"] = connectedMs
  console.log(name)
  console.table(Object.fromEntries(
    Object.entries(times).filter(([, { length }]) => length > 0).map(([what, ms]) => {
      const [p50, p99, max] = [0.5, 0.99, 1].map((share) => Number(quantile(ms, share).toFixed(1)))
      return [what, { "/s": Math.round(ms.length / seconds), p50, p99, max }]
    })
  ))
  const [server, clients] = waits.map(({ long, share }) =>
    `${(share * 100).toFixed(1)} % (${long.length} times for more than ${longMs} ms)`
  )
  console.log(`no processor: server ${server}, clients ${clients}`)
}
