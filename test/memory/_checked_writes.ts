import { assert } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Result } from "effect"
import type { BlockFeed } from "../../core/domain/mod.ts"
import type { Decision, LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"
import { emptyBlock, hashOf } from "./_chain.ts"

interface Ports {
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
}

const block101: BlockFeed = {
  number: 101n,
  hash: hashOf(101),
  parentHash: hashOf(100),
  timestampMs: 1
}

/** Applies an empty block with a check. */
const applyWithCheck = ({ writer }: Ports, check: Effect.Effect<void, string>) =>
  writer.apply(
    block101,
    (prior) =>
      Result.succeed<Decision<string>>({ kind: "store", changes: emptyBlock(prior), check })
  )

/**
 * Asserts the contract of every store for a decision with a slow check. The ledger must contain
 * only the genesis of the use cases, and contains the same afterwards.
 */
export const checkedWrites = (ports: Ports) =>
  Effect.gen(function*() {
    const { reader, writer } = ports
    const before = yield* reader.snapshotId

    // reads do not see the block before its check ends, and later writes are applied after it
    const [checkStarted, checkMayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const first = yield* Effect.forkChild(
      applyWithCheck(
        ports,
        Effect.andThen(Deferred.succeed(checkStarted, undefined), Deferred.await(checkMayEnd))
      )
    )
    yield* Deferred.await(checkStarted)
    const order: Array<string> = []
    const note = (event: string) => Effect.sync(() => void order.push(event))
    const prices = yield* Effect.forkChild(
      Effect.tap(
        writer.setPrices([{ tokenId: 0, priceUSD: 3, timeMs: 1 }], ({ lastBlock }) => {
          order.push(`prices are checked at block ${lastBlock.number}`)
          return Result.void
        }),
        () => note("prices")
      )
    )
    const rollBack = yield* Effect.forkChild(Effect.tap(
      writer.rollBack(100n, ({ lastBlock }) => {
        order.push(`rollback is checked at block ${lastBlock.number}`)
        return Result.void
      }),
      () => note("rollback")
    ))
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual([
      order,
      yield* reader.snapshotId,
      (yield* reader.find("token", 0)).item?.priceUSD
    ], [[], before, null])
    yield* Deferred.succeed(checkMayEnd, undefined)
    const { applied, snapshotId } = yield* Fiber.join(first)
    assert.isTrue(applied)
    assert.deepStrictEqual(snapshotId, {
      ethereumBlockNum: 101n,
      batchNum: null,
      version: before.version + 1
    })
    assert.strictEqual((yield* Fiber.join(prices)).version, snapshotId.version + 1)
    assert.strictEqual((yield* Fiber.join(rollBack)).blocks, 1)
    assert.deepStrictEqual(order.filter((each) => each.includes("checked")), [
      "prices are checked at block 101",
      "rollback is checked at block 101"
    ])
    const after = yield* reader.snapshotId
    assert.deepStrictEqual(after, { ...before, version: before.version + 3 })

    // a block whose check fails is not stored, and the next write runs
    assert.strictEqual(
      yield* Effect.flip(
        applyWithCheck(ports, Effect.andThen(Effect.yieldNow, Effect.fail("wrong")))
      ),
      "wrong"
    )
    assert.deepStrictEqual(yield* reader.snapshotId, after)

    // a block whose caller is interrupted is not stored either
    const secondCheckStarted = yield* Deferred.make<void>()
    const interrupted = yield* Effect.forkChild(
      applyWithCheck(
        ports,
        Effect.andThen(Deferred.succeed(secondCheckStarted, undefined), Effect.never)
      )
    )
    yield* Deferred.await(secondCheckStarted)
    yield* Fiber.interrupt(interrupted)
    const exit = yield* Fiber.await(interrupted)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    assert.deepStrictEqual(yield* reader.snapshotId, after)
    assert.strictEqual(
      (yield* applyWithCheck(ports, Effect.void)).snapshotId.ethereumBlockNum,
      101n
    )
    yield* writer.rollBack(100n, () => Result.void)
  })
