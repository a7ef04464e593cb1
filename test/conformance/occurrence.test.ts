/* Golden files can only check what occurs: their network has items of every kind. */
import { textOf } from "../_answers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { poolStates, poolTransactionTypes } from "../../core/domain/mod.ts"
import { openNetwork, readSteps, type RecordedCall, type Step } from "../golden/_network.ts"
import { missingOccurrences } from "../simulator/occurrences.ts"

interface PoolTransaction {
  readonly type: string
  readonly state: string
  readonly requestFromAccountIndex: string | null
}

const steps = readSteps()
const isRecord = (step: Step): step is Exclude<Step, RecordedCall> => step.kind !== "call"

/** What a network may contain and the recorded one does not: it has too few blocks. */
const absent = [
  "coordinator without URL",
  "bid below a raised minimum",
  "minimum bid raised",
  "minimum bid that an earlier change withholds from a slot",
  "outbidding changed",
  "slot deadline changed",
  "safe mode",
  "withdrawal delay of 0",
  "leaf of 0 collected",
  "transfer of 0 to an account that does not exist",
  "transfer of 0 to an account of another token",
  "full queue",
  "request and collection in one block"
]

describe("the recorded network", () => {
  it("contains everything that a simulated network can contain, except what its blocks have no room for", () => {
    const [first, ...others] = steps
    assert(first?.kind === "genesis")
    assert.deepStrictEqual(missingOccurrences(first.genesis, others.filter(isRecord)), absent)
  })

  it.effect("contains pool transactions of each type, in each state, and one that requests another", () =>
    Effect.scoped(Effect.gen(function*() {
      const { handle, submitted: { transactions } } = yield* openNetwork("zk")
      const shown = (yield* Effect.forEach(
        transactions,
        (id) => handle({ method: "GET", url: `/transactions-pool/${id}`, headers: {} })
      )).flatMap((answer) =>
        answer.status === 200 ? [JSON.parse(textOf(answer)) as PoolTransaction] : []
      )
      assert.includeMembers(shown.map(({ type }) => type), [...poolTransactionTypes])
      assert.includeMembers(shown.map(({ state }) => state), [...poolStates])
      assert.isTrue(shown.some((each) => each.requestFromAccountIndex !== null))
    })))

  it("contains heads, groups and authorizations between its blocks", () => {
    assert.includeMembers(
      steps.map((step) => step.kind === "call" ? step.method : step.kind),
      ["head", "submitGroup", "submitAuthorization"]
    )
  })
})
