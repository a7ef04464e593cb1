import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { memoryNode } from "../../app/memory_node.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { BlockFeed, ExitFeed } from "../../core/domain/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"

/** Up to the first block in which something leaves whose proof has siblings. */
const withExits = Effect.gen(function*() {
  const ledger = yield* Ledger
  for (;;) {
    const record = simulation.next()
    const batch = record.kind === "block" ? (record.block.batches ?? []).findIndex(({ exits }) => exits.length > 1) : -1
    if (record.kind === "block" && batch >= 0) return { ledger, block: record.block, batch }
    yield* ledger.applyRecord(record)
  }
})
const simulation = simulate({ seed: "exit proofs", users: 40, exitShare: 0.2, standInRoots: true })

const withExit = (block: BlockFeed, batch: number, change: (exit: ExitFeed) => ExitFeed): BlockFeed => ({
  ...block,
  batches: block.batches!.map((feed, position) => position === batch ? { ...feed, exits: feed.exits.map((exit, i) => i === 1 ? change(exit) : exit) } : feed)
})

describe("A block whose exit proofs do not lead to its exit root", () => {
  it.effect("is refused with the place of the proof, and the same block untouched is taken", () => Effect.gen(function*() {
    const { batch, block, ledger } = yield* withExits
    const damages: ReadonlyArray<(exit: ExitFeed) => ExitFeed> = [
      (exit) => ({ ...exit, merkleProof: { ...exit.merkleProof, siblings: [exit.merkleProof.siblings[0]! + 1n, ...exit.merkleProof.siblings.slice(1)] } }),
      (exit) => ({ ...exit, merkleProof: { ...exit.merkleProof, siblings: exit.merkleProof.siblings.slice(1) } }),
      (exit) => ({ ...exit, merkleProof: { ...exit.merkleProof, value: exit.merkleProof.value + 1n } })
    ]
    for (const damage of damages) {
      const violation = yield* Effect.flip(ledger.applyBlock(withExit(block, batch, damage)))
      assert.strictEqual(violation._tag === "BlockViolation" ? `${violation.invariant} ${violation.place}` : violation._tag, `exit-proof /batches/${batch}/exits/1/merkleProof`)
    }
    assert.isTrue((yield* ledger.applyBlock(block)).applied)
  }).pipe(Effect.provide(memoryNode({ genesis: simulation.genesis }))))
})
