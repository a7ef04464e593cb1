import { Context } from "effect"

/**
 * What one who goes on from his own writes has to know of the others who write: the store notes in it since when this process has been the
 * writer without anybody in between, and fails the next write, once, where that has changed. Give the same one to all the writes that go on
 * from each other, and to the look at the last block that they begin with, each time a new one: `Effect.provideService(WriteSeries, newSeries())`.
 * Without one nothing is compared.
 */
export const WriteSeries = Context.Reference<WriteSeries | null>("rollup/core/WriteSeries", {
  defaultValue: () => null
})

export interface WriteSeries {
  /** The epoch that the store counted then; null before the first write. */
  since: bigint | null
}

export const newSeries = (): WriteSeries => ({ since: null })
