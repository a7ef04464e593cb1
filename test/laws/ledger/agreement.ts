import { Effect } from "effect"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import { readEverything } from "./_every_answer.ts"
import { naiveReader } from "../naive/mod.ts"
import { withItemIds } from "../_reading.ts"
import type { Facts } from "../facts.ts"
import { difference, holds, type LawViolation } from "../law.ts"

/**
 * Averages may be computed from running sums, which lose the last digits when values are
 * subtracted.
 */
export const averagesTolerance = 1e-9

/**
 * Compares a reader with the naive model: every list, item and slot, and the network state.
 * Averages may differ by one part in 10^9. Fails with a `LawViolation` whose message begins with
 * `subject()`.
 *
 * ```ts
 * import { Context, Effect, Layer } from "effect"
 * import { LedgerReader } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 * import { agreesWith, replay } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const empty = replay(genesis, [], keccak256)
 * const later = replay(genesis, Array.from({ length: 9 }, () => simulation.next()), keccak256)
 * const check = Effect.gen(function*() {
 *   const reader = Context.get(yield* Layer.build(Memory.layer(genesis)), LedgerReader)
 *   yield* agreesWith(reader, empty, () => "An empty store")
 *   return (yield* Effect.flip(agreesWith(reader, later, () => "An empty store")))._tag
 * })
 * console.log(await Effect.runPromise(Effect.scoped(check))) // => LawViolation
 * ```
 */
export const agreesWith = Effect.fnUntraced(function*(
  reader: LedgerReader["Service"],
  facts: Facts,
  subject: () => string
): Effect.fn.Return<void, LawViolation> {
  const numbered = yield* withItemIds(reader, facts)
  const { state, ...answers } = yield* readEverything(reader, numbered)
  const { state: naiveState, ...naiveAnswers } = yield* readEverything(
    naiveReader(numbered),
    numbered
  )
  const at = difference(answers, naiveAnswers) ??
    difference(state, naiveState, { tolerance: averagesTolerance }, "/state")
  yield* holds(at === undefined, () => `${subject()}: ${at}`)
})
