import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { batchRequests } from "../../../adapters/sql/pool/pool.ts"

/** Batches that wait until the test lets them run, and the requests of each. */
const blockedBatches = () => {
  const batches: Array<ReadonlyArray<number>> = []
  const gate = Deferred.makeUnsafe<void>()
  const turn = (
    all: ReadonlyArray<number>
  ): Effect.Effect<
    ReadonlyArray<string>,
    { readonly retry: boolean; readonly of: ReadonlyArray<number> }
  > =>
    Effect.andThen(
      Effect.sync(() => batches.push(all)),
      Effect.andThen(
        Deferred.await(gate),
        all.includes(13) || all.includes(14)
          ? Effect.fail({ retry: all.includes(14), of: all })
          : Effect.succeed(all.map((one) => `answer ${one}`))
      )
    )
  return { batches, gate, turn }
}
const settled = Effect.repeat(Effect.yieldNow, { times: 20 })
const askAll = (ask: (one: number) => Effect.Effect<string, unknown>, all: ReadonlyArray<number>) =>
  Effect.forEach(all, (one) => Effect.forkChild(Effect.exit(ask(one))))

describe("batched requests", () => {
  it.effect("run together if they arrive during an earlier batch, at most so many at once, each with its own answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const { batches, gate, turn } = blockedBatches()
      const ask = yield* batchRequests(turn, 3)
      const first = yield* askAll(ask, [1])
      yield* settled
      const others = yield* askAll(ask, [2, 3, 4, 5])
      yield* settled
      assert.deepStrictEqual(batches, [[1]])
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Effect.forEach([...first, ...others], Fiber.join)
      assert.deepStrictEqual(answers, [1, 2, 3, 4, 5].map((one) => Exit.succeed(`answer ${one}`)))
      assert.deepStrictEqual(batches, [[1], [2, 3, 4], [5]])
    })))

  it.effect("fail alone if their own request is at fault, and together if a retry may help", () =>
    Effect.scoped(Effect.gen(function*() {
      const { batches, gate, turn } = blockedBatches()
      const ask = yield* batchRequests(turn, 9)
      const first = yield* askAll(ask, [1])
      yield* settled
      const others = yield* askAll(ask, [2, 13, 3])
      yield* settled
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Effect.forEach([...first, ...others], Fiber.join), [
        Exit.succeed("answer 1"),
        Exit.succeed("answer 2"),
        Exit.fail({ retry: false, of: [13] }),
        Exit.succeed("answer 3")
      ])
      assert.deepStrictEqual(batches, [[1], [2, 13, 3], [2], [13], [3]])
      const again = yield* askAll(ask, [14])
      assert.deepStrictEqual(yield* Effect.forEach(again, Fiber.join), [
        Exit.fail({ retry: true, of: [14] })
      ])
    })))

  it.effect("all end when the scope closes", () =>
    Effect.gen(function*() {
      const { turn } = blockedBatches()
      const scope = yield* Scope.make()
      const ask = yield* Scope.provide(batchRequests(turn, 9), scope)
      const waiting = [...yield* askAll(ask, [1]), ...(yield* settled, yield* askAll(ask, [2, 3]))]
      yield* settled
      yield* Scope.close(scope, Exit.void)
      for (
        const exit of [...yield* Effect.forEach(waiting, Fiber.join), yield* Effect.exit(ask(4))]
      ) assert.isTrue(Exit.hasInterrupts(exit))
    }))
})
