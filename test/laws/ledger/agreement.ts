import { Effect } from "effect"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import { everyAnswer } from "./_every_answer.ts"
import { naiveReader } from "../naive/mod.ts"
import { numberedBy } from "../_whole.ts"
import type { Facts } from "../facts.ts"
import { difference, holds, type LawViolation } from "../law.ts"

/** Averages may be computed from running sums, which lose the last digits of what they are subtracted from. */
export const averagesTolerance = 1e-9

/** Everything that a ledger says about the facts is what the naive model says; sums may have been added in another order. */
export const agreesWith = Effect.fnUntraced(function*(
  reader: LedgerReader["Service"],
  facts: Facts,
  subject: () => string
): Effect.fn.Return<void, LawViolation> {
  const numbered = yield* numberedBy(reader, facts)
  const { state, ...answers } = yield* everyAnswer(reader, numbered)
  const { state: naiveState, ...naiveAnswers } = yield* everyAnswer(naiveReader(numbered), numbered)
  const at = difference(answers, naiveAnswers) ??
    difference(state, naiveState, { tolerance: averagesTolerance }, "/state")
  yield* holds(at === undefined, () => `${subject()}: ${at}`)
})
