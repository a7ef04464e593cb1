import { ratioText, showRatio } from "./_figures.ts"
import { load, type LoadRequests, median } from "./_load.ts"
import { type BenchServer, cpuMs } from "./_servers.ts"

export interface Rounds {
  readonly rounds: number
  readonly durationMs: number
}

/** A server, and what it is asked. */
export interface Asked extends LoadRequests {
  readonly server: BenchServer
}

export interface Conditions {
  readonly name: string
  readonly bound?: string | undefined
  /** 32 by default. */
  readonly connections?: number
  /** Statements that our server runs for a request; none if it is over no database. */
  readonly statements?: number
  /** Further conditions of the figure. */
  readonly also?: string
}

/** Returns what each row says of its requests. */
export const requestsText = (
  connections: number,
  urls: number | string,
  statements?: number
): string =>
  [
    `${connections} connection${connections === 1 ? "" : "s"}`,
    `${urls} URL${urls === 1 ? "" : "s"}`,
    `${statements === undefined ? "no" : statements.toFixed(2)} statements a request`
  ].join(", ")

/**
 * Shows the requests per second of our server ÷ those of a peer, in turn in each round; the ratio of
 * each round counts. The processor time for each answer is compared too.
 */
export const showRates = async (
  { also, bound, connections = 32, name, statements }: Conditions,
  ours: Asked,
  peer: Asked,
  { durationMs, rounds }: Rounds
): Promise<void> => {
  const measure = async ({ server: { pid, port }, ...requests }: Asked, durationMs: number) => {
    const [before, started] = [cpuMs(pid), performance.now()]
    const { perSecond: rate } = await load({ port, ...requests, connections, durationMs })
    return { rate, cpu: (cpuMs(pid) - before) / (rate * (performance.now() - started)) }
  }
  type Figure = Awaited<ReturnType<typeof measure>>
  const measured: Array<readonly [own: Figure, theirs: Figure]> = []
  for (let round = -1; round < rounds; round++) {
    const time = round < 0 ? 1000 : durationMs
    // the order alternates, so that a drift of the machine favours neither
    const first = round % 2 === 0 ? await measure(ours, time) : undefined
    const theirs = await measure(peer, time)
    const own = first ?? await measure(ours, time)
    if (round >= 0) measured.push([own, theirs])
  }
  const perSecond = (of: 0 | 1) => {
    const rate = median(measured.map((pair) => pair[of].rate)).median
    return rate.toFixed(rate < 100 ? 1 : 0)
  }
  showRatio({
    name,
    bound,
    values: measured.map(([own, theirs]) => own.rate / theirs.rate),
    conditions: [
      requestsText(connections, new Set(ours.paths).size, statements),
      `${perSecond(0)} ÷ ${perSecond(1)} requests/s`,
      `by CPU time ${ratioText(measured.map(([own, theirs]) => theirs.cpu / own.cpu))}`,
      also ?? []
    ].flat().join("; ")
  })
}
