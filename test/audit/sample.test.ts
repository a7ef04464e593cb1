import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeProofVerifier } from "../../app/commands/verify/auditing.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { Findings } from "../../core/use_cases/mod.ts"

const simulation = simulate({ seed: "proofs", users: 30, exitShare: 0.1, placeholderRoots: true })
const { network } = simulation.genesis

describe("a sample of exit proofs", () => {
  it.effect("has its share of all proofs", () =>
    Effect.scoped(Effect.gen(function*() {
      const batches = [...initialHistory(simulation, 200)].flatMap((record) =>
        record.kind === "block" ? record.block.batches ?? [] : []
      )
      const { exitRoot, exits } = batches.find(({ exits }) => exits!.length > 0)!
      const unowned = {
        ...exits![0]!,
        publicKey: "0".repeat(64),
        address: `0x${"0".repeat(40)}`,
        tokenId: 0
      }
      const proofs = Array.from({ length: 50 }, () => [unowned as never, exitRoot] as const)
      for (const [sample, expected] of [[1, 200], [0.25, 50], [0.01, 2], [0, 0]] as const) {
        const findings = new Findings()
        const findWrongProofs = yield* makeProofVerifier(sample, findings)
        for (let batch = 0; batch < 4; batch++) yield* findWrongProofs(network, proofs)
        const { checks } = findings.report()
        const checked = checks.find(({ check }) => check === "exit-proofs")?.checked ?? 0
        assert.strictEqual(checked, expected, `sample ${sample}`)
      }
    })))
})
