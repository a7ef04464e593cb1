import { Effect } from "effect"
import { openNetwork, readSteps } from "../golden/_network.ts"
import { parseExact } from "../properties/_reading.ts"

/** JSON whose properties depend on the revision and the prefix. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

/** Opens the recorded network of the golden files; returns it with a reader of its answers. */
export const openRecorded = Effect.fnUntraced(function*(prefix: string) {
  const network = yield* openNetwork(prefix)
  /** Returns the answer of a path; null if it is refused. */
  const read = (url: string): Effect.Effect<Json> =>
    Effect.map(
      network.handle({ method: "GET", url, headers: {} }),
      ({ body, status }) =>
        status === 200
          ? parseExact(typeof body === "string" ? body : new TextDecoder().decode(body))
          : null
    )
  /** Returns the bids of all slots. */
  const bids = Effect.map(
    Effect.forEach(
      Array.from({ length: 60 }, (_, slot) => slot),
      (slot) => read(`/bids?slotNum=${slot}&limit=2049`)
    ),
    (pages) => pages.flatMap((page) => page.bids)
  )
  return { ...network, read, bids }
})
export type Recorded = Effect.Success<ReturnType<typeof openRecorded>>

const [genesisStep] = readSteps()
if (genesisStep?.kind !== "genesis") throw new Error("The network has no genesis")
/** The identity of the recorded network. */
export const { network } = genesisStep.genesis
