import { Effect } from "effect"
import { defaultNetwork, simulate, writeFeed } from "../simulator/mod.ts"
import { counted, writeTexts } from "./output.ts"
import { makeProgress } from "./progress.ts"

interface Settings {
  readonly seed: string
  readonly transactions: number
  readonly prefix: string
  readonly trueRoots: boolean
  readonly out: string | undefined
}

/** Writes the feed of a simulated network; `serve --feed` reads it. */
export const writeSimulatedFeed = ({ out, prefix, seed, transactions, trueRoots }: Settings) =>
  Effect.gen(function*() {
    const progress = yield* makeProgress({ unit: "transactions" })
    const simulation = simulate({
      seed,
      network: { ...defaultNetwork, prefix },
      placeholderRoots: !trueRoots
    })
    const report = () =>
      progress.reportNow({
        units: simulation.transactionCount(),
        share: transactions === 0 ? 1 : Math.min(1, simulation.transactionCount() / transactions)
      })
    yield* writeTexts(counted(writeFeed(simulation, transactions), report), out)
    progress.end()
  })
