import { exitTree, exitTreeSteps, verifyExitProof } from "../../adapters/crypto/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import type { Exit, New } from "../../core/mod.ts"
import { openAuditedLedger } from "../../adapters/memory/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"

/*
 * Measures what a feed without exits costs: CPU time per exit to derive it, beside that to verify
 * the proof of a feed that has it. The figures are of the exit tree alone, without the other rules.
 *
 *     node test/bench/derived_exits.ts
 */

const cpuMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Returns the batches with exits of a simulated network. */
const simulatedBatches = (): ReadonlyArray<ReadonlyArray<New<Exit>>> => {
  const simulation = simulate({ seed: "1", exitShare: 0.1, placeholderRoots: true })
  const { applyRecord } = openAuditedLedger(simulation.genesis, keccak256)
  const batches: Array<ReadonlyArray<New<Exit>>> = []
  for (const record of initialHistory(simulation, 3000)) {
    const applied = applyRecord(record, "")
    if (applied._tag === "Failure") throw applied.failure
    for (const { exits } of applied.success?.batches ?? []) {
      if (exits.length > 0) batches.push(exits)
    }
  }
  return batches
}

/** Returns one batch with this number of exits, which are at random places of the tree. */
const batchOf = (size: number, [owner]: ReadonlyArray<New<Exit>>) => {
  const leaves = Array.from({ length: size }, (_, i) => ({
    ...owner!,
    accountIndex: 256 + i * 37,
    balance: BigInt(i + 1)
  }))
  const { proofs } = exitTree(leaves)
  return leaves.map((leaf, i) => ({ ...leaf, merkleProof: proofs[i]! }))
}

const measure = (name: string, batches: ReadonlyArray<ReadonlyArray<New<Exit>>>) => {
  const exits = batches.reduce((sum, { length }) => sum + length, 0)
  const perExit = (run: (batch: ReadonlyArray<New<Exit>>) => void) => {
    const startMs = cpuMs()
    for (const batch of batches) run(batch)
    return (cpuMs() - startMs) / exits
  }
  const derived = perExit((batch) => void exitTree(batch))
  const inSteps = perExit((batch) => void [...exitTreeSteps(batch)])
  const verified = perExit((batch) => {
    for (const exit of batch) {
      if (!verifyExitProof(exit, exit.merkleProof.root)) throw new Error("A proof is wrong")
    }
  })
  console.log(
    `${name}, ${exits} exits in ${batches.length} batches: ${
      derived.toFixed(2)
    } ms each to derive, ${inSteps.toFixed(2)} in steps, ${verified.toFixed(2)} to verify`
  )
}

const simulated = simulatedBatches()
// compiles the hash function
for (const batch of simulated) exitTree(batch)
measure("simulated network", simulated)
for (const size of [1, 16, 256, 2048]) {
  const count = Math.max(1, Math.floor(256 / size))
  measure(`batches of ${size}`, Array.from({ length: count }, () => batchOf(size, simulated[0]!)))
}
