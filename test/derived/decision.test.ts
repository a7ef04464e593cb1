/*
 * A feed may leave out what follows from the state: effects of L1 user transactions, nonces of L2
 * transactions, exits and their proofs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { exitTree, keccak256 } from "../../adapters/crypto/mod.ts"
import { openMemoryLedger } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import type { BatchFeed, BlockFeed, ExitFeed, FeedRecord } from "../../core/domain/mod.ts"
import { type LedgerBase, LedgerReader, type PriorLedger } from "../../core/ports/mod.ts"
import {
  completeBlock,
  decideBlock,
  type ExitTreeBuilder,
  Ledger,
  StagedLedger
} from "../../core/use_cases/mod.ts"
import { invalidBlocks } from "../laws/ledger/_invalid_blocks.ts"
import { rounds } from "../rounds.ts"
import { partlyStrippedBlock, rememberedExitTree, strippedBlock } from "./_stripped.ts"
import { batchOf, block104, blockOf, l1Of, ledgerBefore } from "../use_cases/_chain.ts"
import { memoryLedger, rules } from "../use_cases/_network.ts"

const networkOf = (seed: string, length = 40) => {
  const { genesis, next } = simulate({
    seed,
    users: 20,
    exitShare: 0.2,
    placeholderRoots: true,
    rollBackPeriodBlocks: 0
  })
  return { genesis, records: Array.from({ length }, () => next()) }
}
const { genesis, records } = networkOf("derived")
const deriving = { constants: genesis.constants, keccak256, buildExitTree: rememberedExitTree }

/** Applies the records, and calls `look` with the ledger before each block. */
const walk = (
  network: { readonly genesis: typeof genesis; readonly records: ReadonlyArray<FeedRecord> },
  look: (block: BlockFeed, prior: LedgerBase) => void
) => {
  const ledger = openMemoryLedger({ genesis: network.genesis })
  for (const record of network.records) {
    if (record.kind === "prices") ledger.setPrices(record.prices, () => Result.void)
    if (record.kind !== "block") continue
    look(record.block, ledger.base)
    Result.getOrThrow(
      ledger.apply(decideBlock({ constants: genesis.constants, keccak256 }, record.block))
    )
  }
}

const exitsOf = ({ batches = [] }: BlockFeed) => batches.flatMap(({ exits }) => exits ?? [])
/** Returns the position of the first batch with two exits; -1 if there is none. */
const batchWithExits = ({ batches = [] }: BlockFeed) =>
  batches.findIndex(({ exits }) => exits!.length > 1)
const withBatch = (block: BlockFeed, position: number, change: Partial<BatchFeed>): BlockFeed => ({
  ...block,
  batches: block.batches!.with(position, { ...block.batches![position]!, ...change })
})

const violationOf = (decide: ReturnType<typeof decideBlock>, prior: PriorLedger) =>
  Result.match(decide(prior), {
    onFailure: ({ expected, invariant, pointer }) => ({ expected, invariant, pointer }),
    onSuccess: () => assert.fail("the block was accepted")
  })

describe("A decision about a block without derived values", () => {
  for (const seed of rounds({ short: ["1"], long: ["1", "20", "300"] })) {
    it(`has the changes of the whole block (seed ${seed})`, () => {
      let exits = 0
      walk(networkOf(seed), (block, prior) => {
        const whole = decideBlock(rules, block)(prior)
        for (const strip of [strippedBlock, partlyStrippedBlock]) {
          const derived = decideBlock({ ...rules, buildExitTree: exitTree }, strip(block))(prior)
          assert.deepStrictEqual(derived, whole)
          assert.strictEqual(JSON.stringify(derived, text), JSON.stringify(whole, text))
        }
        exits += exitsOf(block).length
      })
      assert.isAbove(exits, 10)
    })
  }

  it("is refused if an exit tree is needed and there is no builder", () => {
    let refused = 0
    const without = { constants: genesis.constants, keccak256 }
    walk({ genesis, records }, (block, prior) => {
      const decide = decideBlock(without, strippedBlock(block))
      if (exitsOf(block).length === 0) {
        assert.isTrue(Result.isSuccess(decide(prior)))
        return
      }
      const position = block.batches!.findIndex(({ exits }) => exits!.length > 0)
      const expected = "exits with their proofs, because this ledger has no builder of exit trees"
      assert.deepStrictEqual(violationOf(decide, prior), {
        invariant: "exit-proof",
        pointer: `/batches/${position}/exits`,
        expected
      })
      const { merkleProof: _, ...last } = block.batches![position]!.exits!.at(-1)!
      const exits = block.batches![position]!.exits!.with(-1, last)
      assert.deepStrictEqual(
        violationOf(decideBlock(without, withBatch(block, position, { exits })), prior),
        {
          invariant: "exit-proof",
          pointer: `/batches/${position}/exits/${exits.length - 1}/merkleProof`,
          expected
        }
      )
      refused++
    })
    assert.isAbove(refused, 3)
  })

  it("is refused if the exit root is not the root of the derived tree", () => {
    let refused = 0
    walk({ genesis, records }, (block, prior) => {
      for (const [position, { exitRoot, exits }] of (block.batches ?? []).entries()) {
        const wrong = strippedBlock(withBatch(block, position, { exitRoot: exitRoot + 1n }))
        assert.deepStrictEqual(violationOf(decideBlock(deriving, wrong), prior), {
          invariant: "exit-root",
          pointer: `/batches/${position}/exitRoot`,
          expected: exits!.length === 0
            ? "0, since nothing leaves"
            : `${exitRoot}, the root of the tree of the ${exits!.length} exits of the batch`
        })
        if (exits!.length > 0) refused++
      }
    })
    assert.isAbove(refused, 3)
  })

  it("is refused for each error of another value, as the whole block is", () => {
    const seen = new Set<string>()
    walk({ genesis, records }, (block, prior) => {
      for (const strip of [strippedBlock, partlyStrippedBlock]) {
        for (const { block: invalid, invariant } of invalidBlocks(strip(block))) {
          assert.strictEqual(
            violationOf(decideBlock(deriving, invalid), prior).invariant,
            invariant
          )
          seen.add(invariant)
        }
      }
    })
    for (const each of ["nonce", "balance", "effective-amount", "exit-balance", "exit-proof"]) {
      assert.isTrue(seen.has(each), each)
    }
  })

  it("verifies the proofs that the feed has, also in a batch with derived ones", () => {
    let refused = 0
    walk({ genesis, records }, (block, prior) => {
      const position = batchWithExits(block)
      if (position < 0) return
      const { merkleProof: _, ...first } = block.batches![position]!.exits![0]!
      const exits: ReadonlyArray<ExitFeed> = block.batches![position]!.exits!.with(0, first)
        .map(({ merkleProof, ...exit }) =>
          merkleProof === undefined ? exit : {
            ...exit,
            merkleProof: { ...merkleProof, value: merkleProof.value - 1n }
          }
        )
      const wrong = decideBlock(deriving, withBatch(block, position, { exits }))
      assert.include(violationOf(wrong, prior), {
        invariant: "exit-proof",
        pointer: `/batches/${position}/exits/1/merkleProof/value`
      })
      refused++
    })
    assert.isAbove(refused, 0)
  })

  it("is refused if the derived nonce does not fit in a leaf", () => {
    const ledger = ledgerBefore(104n)
    const nonce = (1n << 40n) - 1n
    ledger.accounts.set(257, { ...ledger.accounts.get(257)!, nonce })
    assert.deepInclude(violationOf(decideBlock(rules, strippedBlock(block104)), ledger), {
      invariant: "nonce",
      pointer: "/batches/0/l2/1/nonce"
    })
  })
})

const text = (_: string, value: unknown) => typeof value === "bigint" ? `${value}n` : value

describe("A block that is completed with its decision", () => {
  it("is the whole block, which leads to the same decision without a builder", () => {
    // as if the feed had all of the first batch
    const keepFirst = (block: BlockFeed) =>
      strippedBlock(block, (place) => place.startsWith("/batches/0/"))
    walk(networkOf("derived", 120), (block, prior) => {
      const whole = decideBlock(rules, block)(prior)
      const decision = Result.getOrThrow(whole)
      if (decision.kind !== "store") return assert.fail("a block was stored twice")
      const placed = new StagedLedger(prior).place(decision.changes)
      for (const strip of [strippedBlock, partlyStrippedBlock, keepFirst]) {
        const completed = completeBlock(strip(block), placed)
        assert.deepStrictEqual(completed, block)
        assert.deepStrictEqual(decideBlock(rules, completed)(prior), whole)
      }
      assert.strictEqual(completeBlock(block, placed), block)
    })
  })
})

describe("A block that queues and forges the transactions of two queues", () => {
  it("is completed with the effects of each queue", () => {
    const queues = [[4, 10n], [5, 20n]] as const
    const block = blockOf(105n, {
      l1UserTransactions: queues.map(([queue, depositAmount]) => l1Of(queue, 0, { depositAmount })),
      batches: [
        // the first batch ends the queue of earlier blocks
        batchOf(4, { forgeL1TransactionsNum: 3 }),
        ...queues.map(([queue, effectiveDepositAmount]) =>
          batchOf(queue + 1, {
            forgeL1TransactionsNum: queue,
            l1UserEffects: [{ effectiveDepositAmount, effectiveAmount: 0n }]
          })
        )
      ]
    })
    const ledger = ledgerBefore(105n)
    const decision = Result.getOrThrow(decideBlock(rules, strippedBlock(block))(ledger))
    if (decision.kind !== "store") return assert.fail("the block was stored before")
    const placed = new StagedLedger(ledger).place(decision.changes)
    assert.deepStrictEqual(completeBlock(strippedBlock(block), placed), block)
  })
})

describe("A ledger with a builder of exit trees", () => {
  it.effect("builds the trees of a block once, and none for a block that it refuses or has stored", () => {
    let built = 0
    const builder: ExitTreeBuilder = (batches) =>
      Effect.sync(() => {
        built++
        return batches.map(rememberedExitTree)
      })
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      let withExits = 0
      for (const record of records) {
        if (record.kind !== "block") {
          yield* ledger.applyRecord(record)
          continue
        }
        const block = strippedBlock(record.block)
        yield* Effect.flip(ledger.applyBlock({ ...block, lastEthereumBlock: 1n }))
        yield* Effect.flip(
          ledger.applyBlock({
            ...block,
            withdrawals: [{ batchNum: 4_000_000, accountIndex: 256, instant: true }]
          })
        )
        assert.strictEqual(built, withExits)
        assert.isTrue((yield* ledger.applyBlock(block)).applied)
        if (exitsOf(record.block).length > 0) withExits++
        assert.strictEqual(built, withExits)
        assert.isFalse((yield* ledger.applyBlock(block)).applied)
        assert.strictEqual(built, withExits)
      }
      assert.isAbove(withExits, 3)
    }).pipe(Effect.provide(memoryLedger(genesis, { buildExitTrees: builder })))
  })

  it.effect("stores nothing until the tree is there, nor if its root is wrong or no tree can be built", () =>
    Effect.gen(function*() {
      const answers: Array<Effect.Effect<ReadonlyArray<ReturnType<typeof exitTree>> | null>> = []
      const started = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      yield* Effect.gen(function*() {
        const [ledger, reader] = [yield* Ledger, yield* LedgerReader]
        const at = records.findIndex((record) =>
          record.kind === "block" && exitsOf(record.block).length > 0
        )
        for (const record of records.slice(0, at)) yield* ledger.applyRecord(record)
        const record = records[at]!
        if (record.kind !== "block") return assert.fail("no block has an exit")
        const block = strippedBlock(record.block)
        const before = yield* reader.snapshotId
        answers.push(Effect.succeed(null))
        assert.propertyVal(yield* Effect.flip(ledger.applyBlock(block)), "invariant", "exit-proof")
        const roots = record.block.batches!.filter(({ exits }) => exits!.length > 0)
        answers.push(
          Effect.succeed(roots.map(({ exits }) => ({
            root: 1n,
            proofs: exits!.map(({ merkleProof }) => merkleProof!)
          })))
        )
        assert.propertyVal(yield* Effect.flip(ledger.applyBlock(block)), "invariant", "exit-root")
        assert.deepStrictEqual(yield* reader.snapshotId, before)
        answers.push(
          Effect.as(
            Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(release)),
            roots.map(({ exitRoot, exits }) => ({
              root: exitRoot,
              proofs: exits!.map(({ merkleProof }) => merkleProof!)
            }))
          )
        )
        const writing = yield* Effect.forkChild(ledger.applyBlock(block))
        yield* Deferred.await(started)
        // a write that waits for the block sees it
        const next = yield* Effect.forkChild(ledger.rollBack(block.number))
        yield* Effect.yieldNow
        assert.deepStrictEqual(yield* reader.snapshotId, before)
        yield* Deferred.succeed(release, undefined)
        assert.isTrue((yield* Fiber.join(writing)).applied)
        assert.strictEqual((yield* Fiber.join(next)).blocks, 0)
      }).pipe(Effect.provide(memoryLedger(genesis, { buildExitTrees: () => answers.shift()! })))
    }))
})
