import { Context } from "effect"

/**
 * Detects another writer between dependent writes: the next write in the session fails once with
 * `StoreFailure.writerChanged`. Provide one session to all writes that build on each other, and to
 * `lastBlock`, the read that they start from. Null, the default, detects nothing.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { lastBlock, newWriteSession, WriteSession } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const inSession = Effect.provideService(lastBlock, WriteSession, newWriteSession())
 * const block = await Effect.runPromise(Effect.provide(inSession, Memory.layer(genesis)))
 * console.log(block.number === genesis.block.number) // => true
 * ```
 */
export const WriteSession = Context.Reference<WriteSession | null>("rollup/core/WriteSession", {
  defaultValue: () => null
})

/** The state of a session; stores read and update it. */
export interface WriteSession {
  /** The writer epoch of the store at the last write; null before the first one. */
  since: bigint | null
}

/** Returns a new session, for one series of writes. */
export const newWriteSession = (): WriteSession => ({ since: null })
