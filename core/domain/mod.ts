export * from "./history.ts"
export * from "./slot.ts"
export * from "./batch_feed.ts"
export * from "./bucket.ts"
export * from "./changes.ts"
export * from "./currency.ts"
export * from "./exit.ts"
export * from "./statistics.ts"
export * from "./feed.ts"
export * from "./genesis_feed.ts"
export * from "./health.ts"
export * from "./network.ts"
export * from "./parameters.ts"
export * from "./pool.ts"
export * from "./state.ts"
export * from "./token.ts"
export * from "./variable_changes.ts"
/**
 * The schemas of single values in memory, with their rules.
 *
 * @example
 * ```ts
 * import { Schema } from "effect"
 * import { values } from "rollup-node-api"
 *
 * const percent = values.integer(0, 100)
 * console.log(Schema.is(percent)(7), Schema.is(percent)(101)) // => true false
 * console.log(values.ruleOf(percent)) // => an integer from 0 to 100
 * ```
 */
export * as values from "./values.ts"
