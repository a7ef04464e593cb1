/*
 * The proofs that a feed has must be those of the exit trees, whichever builder a ledger uses.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { exitTreesHere } from "../../app/node/layers.ts"
import { exitTreesInThread } from "../../app/node/verifier.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { BatchFeed, BlockFeed, MerkleProof } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { type ExitTreeBuilder, Ledger } from "../../core/use_cases/mod.ts"
import { memoryLedger } from "../use_cases/_network.ts"

const { genesis, next } = simulate({
  seed: "exits of two batches",
  users: 30,
  exitShare: 0.3,
  placeholderRoots: true,
  rollBackPeriodBlocks: 0
})
const siblings = ({ exits = [] }: BatchFeed) =>
  exits.flatMap(({ merkleProof }) => merkleProof!.siblings)
const twoBatches = ({ batches = [] }: BlockFeed) =>
  batches.filter(({ exits }) => exits!.length > 0).length > 1 &&
  batches.some((batch) => siblings(batch).length > 0)
/** The records up to the first block that has exits in two batches, and a proof with siblings. */
const records = [next()]
for (;;) {
  const record = records.at(-1)!
  if (record.kind === "block" && twoBatches(record.block)) break
  records.push(next())
}
const last = records.pop()!
if (last.kind !== "block") throw new Error("Expected a block")
const { block } = last

interface Damage {
  readonly damaged: BlockFeed
  readonly violation: readonly [invariant: string, pointer: string]
}

const withBatch = (position: number, change: Partial<BatchFeed>): BlockFeed => ({
  ...block,
  batches: block.batches!.map((batch, i) => i === position ? { ...batch, ...change } : batch)
})

const damagedProofs: ReadonlyArray<
  (proof: MerkleProof) => readonly [changed: Partial<MerkleProof>, place: string] | undefined
> = [
  ({ value }) => [{ value: value + 1n }, "/value"],
  ({ siblings }) => [{ siblings: [...siblings, 7n] }, `/siblings/${siblings.length}`],
  ({ siblings: [first, ...others] }) =>
    first === undefined ? undefined : [{ siblings: [first + 1n, ...others] }, "/siblings/0"],
  ({ siblings }) =>
    siblings.length === 0
      ? undefined
      : [{ siblings: siblings.slice(0, -1) }, `/siblings/${siblings.length - 1}`]
]

const damages: ReadonlyArray<Damage> = block.batches!.flatMap(({ exitRoot, exits = [] }, batch) => [
  ...exits.flatMap((exit, position) =>
    damagedProofs.flatMap((damage): ReadonlyArray<Damage> => {
      const damaged = damage(exit.merkleProof!)
      if (damaged === undefined) return []
      const [change, place] = damaged
      const merkleProof = { ...exit.merkleProof!, ...change }
      return [{
        damaged: withBatch(batch, { exits: exits.with(position, { ...exit, merkleProof }) }),
        violation: ["exit-proof", `/batches/${batch}/exits/${position}/merkleProof${place}`]
      }]
    })
  ),
  ...exits.length === 0 ? [] : [{
    damaged: withBatch(batch, {
      exitRoot: exitRoot + 1n,
      exits: exits.map((exit) => ({
        ...exit,
        merkleProof: { ...exit.merkleProof!, root: exitRoot + 1n }
      }))
    }),
    violation: ["exit-root", `/batches/${batch}/exitRoot`] as const
  }]
])

/** Checks that a ledger refuses each damage with its place, stores nothing of it, and takes the block. */
const judges = (buildExitTrees: ExitTreeBuilder) =>
  Effect.gen(function*() {
    const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
    yield* Effect.forEach(records, ledger.applyRecord, { discard: true })
    const before = yield* reader.snapshotId
    for (const { damaged, violation } of damages) {
      const found = yield* Effect.flip(ledger.applyBlock(damaged))
      if (found._tag !== "BlockViolation") return assert.fail(`${found}`)
      assert.deepStrictEqual([found.invariant, found.pointer], [...violation])
      assert.match(found.message, new RegExp(`^Block ${block.number}: `, "u"))
    }
    assert.deepStrictEqual(yield* reader.snapshotId, before)
    // an error of the block itself is reported before its proofs
    const bids = [{ slotNum: 5, bidderAddr: `0x${"9".repeat(40)}`, bidValue: 1n }]
    const found = yield* Effect.flip(ledger.applyBlock({ ...damages[0]!.damaged, bids }))
    assert.propertyVal(found, "invariant", "bidder-registered")
    assert.isTrue((yield* ledger.applyBlock(block)).applied)
  }).pipe(
    Effect.provide(memoryLedger(genesis, { buildExitTrees }))
  )

describe("A proof of the feed that is not in the exit tree of its batch", () => {
  it.effect("is refused with its place, by trees of this thread and of another one", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* judges(yield* exitTreesHere)
      yield* judges(yield* exitTreesInThread)
    })))

  it("has damages of each kind in two batches", () => {
    const places = damages.map(({ violation }) => violation.join(" "))
    for (const place of [/value$/u, /siblings\/0$/u, /siblings\/1$/u, /exitRoot$/u]) {
      assert.isAtLeast(places.filter((each) => place.test(each)).length, 2, String(place))
    }
    assert.isAtLeast(new Set(places.map((place) => place.split("/")[2])).size, 2)
  })
})

describe("A builder in the calling thread", () => {
  it.live("lets other fibers run between the trees", () =>
    Effect.gen(function*() {
      const build = yield* exitTreesHere
      const leaves = Array.from({ length: 40 }, (_, i) => ({
        accountIndex: 256 + i,
        tokenId: 0,
        balance: 1n,
        publicKey: `${"0".repeat(63)}1`,
        address: `0x${"1".repeat(40)}`
      }))
      let turns = 0
      const count = () => {
        turns++
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      yield* build([leaves, leaves])
      clearImmediate(timer)
      assert.isAtLeast(turns, 8)
    }))
})
