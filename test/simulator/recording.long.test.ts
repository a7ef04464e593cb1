import { assert, describe, it } from "@effect/vitest"
import { recorded } from "../../app/simulator/world/_recorded.ts"
import {
  initialHistory,
  Recording,
  simulate,
  type SimulationOptions
} from "../../app/simulator/mod.ts"
import type { FeedRecord } from "../../core/domain/mod.ts"

/*
 * `npm start` uses recorded results. These tests compute them again: all keys and exit proofs, and
 * the state roots of the beginning and the end.
 */

const recordsOf = (
  options: Omit<SimulationOptions, "seed">,
  transactions = 3000
): ReadonlyArray<FeedRecord> => [
  ...initialHistory(simulate({ seed: "1", ...options }), transactions)
]

/**
 * Returns the recording that a network needs: known parts are copied from the text, everything else
 * is computed.
 */
function recordingFor(known: string, transactions?: number): string {
  const recording = new Recording(known, { records: true })
  recordsOf({ recording }, transactions)
  return recording.text
}

const stale = "The simulation has changed: run node test/simulator/write_recording.ts"

const withoutRoots = (records: ReadonlyArray<FeedRecord>) =>
  records.map((record) =>
    record.kind === "block"
      ? {
        ...record,
        block: {
          ...record.block,
          batches: (record.block.batches ?? []).map((batch) => ({ ...batch, stateRoot: 0n }))
        }
      }
      : record
  )

describe("The recording of the default network", () => {
  it("contains exactly what the network needs", () => {
    assert.isTrue(recordingFor(recorded) === recorded, stale)
  })

  it("contains the keys and exit proofs that are computed without it", () => {
    assert.deepStrictEqual(
      withoutRoots(recordsOf({ recording: new Recording(), placeholderRoots: true })),
      withoutRoots(recordsOf({})),
      stale
    )
  })

  it("begins with the computed state roots", () => {
    const computed = recordingFor("", 500)
    assert.isAbove(computed.split("\n").length, 150)
    assert.isTrue(recorded.startsWith(`${computed}\n`), stale)
  })

  it("ends with the state root of the accounts", () => {
    const known = recorded.split("\n").slice(0, -60)
    assert.isTrue(recordingFor(known.join("\n")) === recorded, stale)
  })

  it("changes nothing for another network", () => {
    const records = (
      recording: Recording
    ) => [...initialHistory(simulate({ seed: "other", users: 20, recording }), 60)]
    assert.deepStrictEqual(records(new Recording(recorded)), records(new Recording()))
  })
})
