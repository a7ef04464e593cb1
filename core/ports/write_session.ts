import { Context } from "effect"

/**
 * Detects another writer between dependent writes: the next write in the session fails once with
 * `StoreFailure.writerChanged`. Provide one session to all writes that build on each other, and to
 * the read of the last block that they start from: `Effect.provideService(WriteSession,
 * newWriteSession())`. Null, the default, detects nothing.
 */
export const WriteSession = Context.Reference<WriteSession | null>("rollup/core/WriteSession", {
  defaultValue: () => null
})

export interface WriteSession {
  /** The writer epoch of the store at the last write; null before the first one. */
  since: bigint | null
}

export const newWriteSession = (): WriteSession => ({ since: null })
