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

/** Stores the next block as soon as a check has ended. */
const storing = ({ writer }: Ports, check: Effect.Effect<void, string>) =>
  writer.apply(
    block101,
    (view) => Result.succeed<Decision<string>>({ kind: "store", changes: emptyBlock(view), check })
  )

/**
 * The guarantees of every store for a decision with a slow check, on a ledger with the genesis of
 * `_chain.ts`. Leaves the ledger unchanged.
 */
export const checkedWrites = (ports: Ports) =>
  Effect.gen(function*() {
    const { reader, writer } = ports
    const before = yield* reader.stamp

    // nothing is visible before the check has ended, and concurrent writes follow it
    const [started, allowed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const first = yield* Effect.forkChild(
      storing(ports, Effect.andThen(Deferred.succeed(started, undefined), Deferred.await(allowed)))
    )
    yield* Deferred.await(started)
    const order: Array<string> = []
    const seen = (what: string) => Effect.sync(() => void order.push(what))
    const prices = yield* Effect.forkChild(
      Effect.tap(
        writer.setPrices([{ tokenId: 0, priceUSD: 3, timeMs: 1 }], ({ lastBlock }) => {
          order.push(`prices are judged at block ${lastBlock.number}`)
          return Result.void
        }),
        () => seen("prices")
      )
    )
    const rollBack = yield* Effect.forkChild(Effect.tap(
      writer.rollBack(100n, ({ lastBlock }) => {
        order.push(`rollback is judged at block ${lastBlock.number}`)
        return Result.void
      }),
      () => seen("rollback")
    ))
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual([
      order,
      yield* reader.stamp,
      (yield* reader.find("token", 0)).item?.priceUSD
    ], [[], before, null])
    yield* Deferred.succeed(allowed, undefined)
    const { applied, stamp } = yield* Fiber.join(first)
    assert.isTrue(applied)
    assert.deepStrictEqual(stamp, {
      ethereumBlockNum: 101n,
      batchNum: null,
      version: before.version + 1
    })
    assert.strictEqual((yield* Fiber.join(prices)).version, stamp.version + 1)
    assert.strictEqual((yield* Fiber.join(rollBack)).blocks, 1)
    assert.deepStrictEqual(order.filter((each) => each.includes("judged")), [
      "prices are judged at block 101",
      "rollback is judged at block 101"
    ])
    const after = yield* reader.stamp
    assert.deepStrictEqual(after, { ...before, version: before.version + 3 })

    // a failed check stores nothing, and the next write may begin
    assert.strictEqual(
      yield* Effect.flip(storing(ports, Effect.andThen(Effect.yieldNow, Effect.fail("wrong")))),
      "wrong"
    )
    assert.deepStrictEqual(yield* reader.stamp, after)

    // nor does an interrupted one
    const checking = yield* Deferred.make<void>()
    const left = yield* Effect.forkChild(
      storing(ports, Effect.andThen(Deferred.succeed(checking, undefined), Effect.never))
    )
    yield* Deferred.await(checking)
    yield* Fiber.interrupt(left)
    const exit = yield* Fiber.await(left)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    assert.deepStrictEqual(yield* reader.stamp, after)
    assert.strictEqual((yield* storing(ports, Effect.void)).stamp.ethereumBlockNum, 101n)
    yield* writer.rollBack(100n, () => Result.void)
  })
