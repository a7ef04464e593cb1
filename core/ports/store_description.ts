import { Context } from "effect"
import type { StoreInfo } from "../domain/mod.ts"

/**
 * What the stores of a node say about themselves, for the health of the node. By default they are
 * in memory.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { StoreDescription } from "rollup-node-api"
 *
 * const described = Effect.map(StoreDescription, ({ version }) => version)
 * console.log(await Effect.runPromise(described)) // => memory
 * ```
 */
export const StoreDescription = Context.Reference<StoreInfo>("rollup/core/StoreDescription", {
  defaultValue: () => ({ version: "memory", lastMigration: null })
})
