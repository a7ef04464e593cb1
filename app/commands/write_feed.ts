import { Effect } from "effect"
import { networkOptions, type NetworkSettings, simulate, writeFeed } from "../simulator/mod.ts"
import { writeTexts } from "./output.ts"
import { makeProgress } from "./progress.ts"
import { resolve } from "node:path"
import { exportFeed as exportOf } from "../../adapters/journal/mod.ts"

interface Settings extends NetworkSettings {
  readonly transactions: number
  readonly trueRoots: boolean
  readonly out: string | undefined
}

/** Writes the feed of a simulated network; `serve --feed` reads it. */
export const writeSimulatedFeed = ({ out, transactions, trueRoots, ...settings }: Settings) =>
  Effect.gen(function*() {
    const progress = yield* makeProgress({ unit: "transactions" })
    const simulation = simulate({ ...networkOptions(settings), placeholderRoots: !trueRoots })
    const report = () =>
      progress.reportNow({
        units: simulation.transactionCount(),
        share: transactions === 0 ? 1 : Math.min(1, simulation.transactionCount() / transactions)
      })
    yield* writeTexts(writeFeed(simulation, transactions), out, report)
    progress.end()
  })

/** Writes the records of a data directory as a feed, which `serve --feed` and `ingest` read. */
export const exportFeed = (
  { data, out }: { readonly data: string; readonly out: string | undefined }
) =>
  Effect.scoped(Effect.gen(function*() {
    const progress = yield* makeProgress({ unit: "records" })
    const lines = yield* exportOf(resolve(data))
    yield* writeTexts(
      withLineFeeds(lines),
      out,
      (units) => progress.reportNow({ units, share: undefined })
    )
    progress.end()
  }))

function* withLineFeeds(lines: Iterable<string>): Generator<string, void> {
  for (const line of lines) yield `${line}\n`
}
