import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exitProofsHere } from "../../app/node/layers.ts"
import { memoryNode } from "../_memory_node.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { exitProofsInThread } from "../../app/node/verifier.ts"
import type { BlockFeed, ExitFeed } from "../../core/domain/mod.ts"
import { type ExitProofVerifier, Ledger } from "../../core/use_cases/mod.ts"

/** Returns the records up to the first block with an exit whose proof has siblings. */
const withExits = Effect.gen(function*() {
  const ledger = yield* Ledger
  for (;;) {
    const record = simulation.next()
    const batch = record.kind === "block"
      ? (record.block.batches ?? []).findIndex(({ exits }) => exits!.length > 1)
      : -1
    if (record.kind === "block" && batch >= 0) return { ledger, block: record.block, batch }
    yield* ledger.applyRecord(record)
  }
})
const simulation = simulate({
  seed: "exit proofs",
  users: 40,
  exitShare: 0.2,
  placeholderRoots: true
})

const withExit = (
  block: BlockFeed,
  batch: number,
  change: (exit: ExitFeed) => ExitFeed
): BlockFeed => ({
  ...block,
  batches: block.batches!.map((feed, position) =>
    position === batch
      ? { ...feed, exits: feed.exits!.map((exit, i) => i === 1 ? change(exit) : exit) }
      : feed
  )
})

/**
 * Verifies proofs in this thread and in another one, which must agree, and counts how often other
 * fibers run in the meantime.
 */
const judgedTwice = Effect.gen(function*() {
  const [here, there] = [
    yield* exitProofsHere,
    yield* exitProofsInThread(simulation.genesis.network)
  ]
  const verifyExitProofs: ExitProofVerifier = (proofs) =>
    Effect.gen(function*() {
      let turns = 0
      const count = () => {
        turns++
        next = setImmediate(count)
      }
      let next = setImmediate(count)
      const judged = yield* here.verifyExitProofs(proofs)
      clearImmediate(next)
      assert.isAtLeast(turns, judged ?? proofs.length)
      assert.strictEqual(yield* there.verifyExitProofs(proofs), judged)
      return judged
    })
  return { ...here, verifyExitProofs }
})

describe("A block whose exit proofs do not lead to its exit root", () => {
  it.effect("is refused with its number and the place of the proof, and the unchanged block is accepted", () =>
    Effect.gen(function*() {
      const { batch, block, ledger } = yield* withExits
      const damages: ReadonlyArray<(exit: ExitFeed) => ExitFeed> = [
        (exit) => ({
          ...exit,
          merkleProof: {
            ...exit.merkleProof!,
            siblings: [exit.merkleProof!.siblings[0]! + 1n, ...exit.merkleProof!.siblings.slice(1)]
          }
        }),
        (exit) => ({
          ...exit,
          merkleProof: { ...exit.merkleProof!, siblings: exit.merkleProof!.siblings.slice(1) }
        }),
        (exit) => ({
          ...exit,
          merkleProof: { ...exit.merkleProof!, value: exit.merkleProof!.value + 1n }
        })
      ]
      for (const damage of damages) {
        const violation = yield* Effect.flip(ledger.applyBlock(withExit(block, batch, damage)))
        assert.strictEqual(
          violation._tag === "BlockViolation"
            ? `${violation.invariant} ${violation.pointer}`
            : violation._tag,
          `exit-proof /batches/${batch}/exits/1/merkleProof`
        )
        assert.match(
          violation.message,
          new RegExp(
            `^Block ${block.number}: .*${block.batches![batch]!.exits![1]!.accountIndex}`,
            "u"
          )
        )
      }
      assert.isTrue((yield* ledger.applyBlock(block)).applied)
    }).pipe(
      Effect.provide(memoryNode({ genesis: simulation.genesis, exitProofs: judgedTwice }))
    ))

  it.effect("is refused with the place of the invalid proof, in any of its batches", () => {
    let wrong: number | undefined
    const network = simulate({
      seed: "exits of two batches",
      users: 30,
      exitShare: 0.3,
      placeholderRoots: true,
      rollBackPeriodBlocks: 0
    })
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      for (;;) {
        const record = network.next()
        const places = record.kind !== "block"
          ? []
          : (record.block.batches ?? []).flatMap(({ exits }, batch) =>
            exits!.map((_, exit) => `/batches/${batch}/exits/${exit}/merkleProof`)
          )
        if (
          record.kind !== "block" || new Set(places.map((place) => place.split("/")[2])).size < 2
        ) {
          yield* ledger.applyRecord(record)
          continue
        }
        for (wrong = 0; wrong < places.length; wrong++) {
          assert.propertyVal(
            yield* Effect.flip(ledger.applyBlock(record.block)),
            "pointer",
            places[wrong]
          )
        }
        wrong = undefined
        assert.isTrue((yield* ledger.applyBlock(record.block)).applied)
        return
      }
    }).pipe(
      Effect.provide(memoryNode({
        genesis: network.genesis,
        exitProofs: Effect.map(exitProofsHere, (here) => ({
          ...here,
          verifyExitProofs: () => Effect.sync(() => wrong)
        }))
      }))
    )
  })
})
