import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { EventEmitter } from "node:events"
import { Worker } from "node:worker_threads"
import { VerifierBusy } from "../../core/ports/mod.ts"
import { WorkerPool } from "../../adapters/crypto/worker_pool.ts"
import { network, signedAuthorization } from "./_signed.ts"

/** A thread that answers, true for even numbers, when the test lets it. */
class Thread extends EventEmitter {
  readonly batches: Array<ReadonlyArray<number>> = []
  ended = false
  kept = true
  readonly postMessage = (questions: ReadonlyArray<unknown>) => {
    this.batches.push(questions as ReadonlyArray<number>)
  }
  readonly terminate = () => Promise.resolve(this.end())
  readonly ref = () => {
    this.kept = true
  }
  readonly unref = () => {
    this.kept = false
  }

  answer(): void {
    this.emit("message", this.batches.shift()!.map((question) => question % 2 === 0))
  }

  end(cause?: Error): void {
    this.ended = true
    if (cause !== undefined) this.emit("error", cause)
    this.emit("exit")
  }
}

const make = (options: { readonly workersMax: number; readonly queueMax: number }) => {
  const threads: Array<Thread> = []
  const start = () => {
    const thread = new Thread()
    threads.push(thread)
    return thread
  }
  return { threads, pool: new WorkerPool<number>({ ...options, start }) }
}

const askAll = (pool: WorkerPool<number>, questions: ReadonlyArray<number>) =>
  Effect.forEach(
    questions,
    (question) => Effect.forkChild(pool.run(question), { startImmediately: true })
  )

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

describe("A pool of workers", () => {
  it.effect("no thread starts before the first request, and idle ones do not keep the process alive", () =>
    Effect.gen(function*() {
      const { pool, threads } = make({ workersMax: 2, queueMax: 10 })
      assert.strictEqual(threads.length, 0)
      const [fiber] = yield* askAll(pool, [2])
      assert.deepStrictEqual(threads.map(({ batches, kept }) => ({ batches, kept })), [{
        batches: [[2]],
        kept: true
      }])
      threads[0]!.answer()
      assert.isFalse(threads[0]!.kept)
      assert.isTrue(yield* Fiber.join(fiber!))
    }))

  it.effect("every request gets its own answer, in batches", () =>
    Effect.gen(function*() {
      const { pool, threads } = make({ workersMax: 2, queueMax: 100 })
      const fibers = yield* askAll(pool, range(0, 60))
      assert.strictEqual(threads.length, 2)
      const sizes: Array<number> = []
      for (
        let busy = threads.find(({ batches }) => batches.length > 0);
        busy !== undefined;
        busy = threads.find(({ batches }) => batches.length > 0)
      ) {
        sizes.push(busy.batches[0]!.length)
        busy.answer()
      }
      assert.strictEqual(Math.max(...sizes), 8)
      assert.deepStrictEqual(
        yield* Effect.forEach(fibers, Fiber.join),
        range(0, 60).map((question) => question % 2 === 0)
      )
    }))

  it.effect("a full queue refuses requests, and an interrupted request frees its place", () =>
    Effect.gen(function*() {
      const { pool, threads } = make({ workersMax: 1, queueMax: 3 })
      // two are with the worker, three wait
      const fibers = yield* askAll(pool, range(0, 5))
      const error = yield* Effect.flip(pool.run(5))
      assert.instanceOf(error, VerifierBusy)
      yield* Fiber.interrupt(fibers[3]!)
      const late = yield* Effect.forkChild(pool.run(6), { startImmediately: true })
      assert.instanceOf(yield* Effect.flip(pool.run(7)), VerifierBusy)
      const [thread] = threads
      const requests: Array<number> = []
      while (thread!.batches.length > 0) {
        requests.push(...thread!.batches[0]!)
        thread!.answer()
      }
      assert.deepStrictEqual(requests, [0, 1, 2, 4, 6])
      assert.isTrue(yield* Fiber.join(late))
    }))

  it.effect("a crashed worker is replaced, and its requests are sent again", () =>
    Effect.gen(function*() {
      const { pool, threads } = make({ workersMax: 1, queueMax: 100 })
      const fibers = yield* askAll(pool, range(0, 4))
      assert.deepStrictEqual(threads[0]!.batches, [[0], [1]])
      threads[0]!.end(new Error("Out of memory"))
      assert.strictEqual(threads.length, 2)
      while (threads[1]!.batches.length > 0) threads[1]!.answer()
      assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [true, false, true, false])
    }))

  it.effect("a request that crashes two workers fails alone", () =>
    Effect.gen(function*() {
      const { pool, threads } = make({ workersMax: 1, queueMax: 100 })
      const fibers = yield* askAll(pool, range(0, 30))
      const fatal = 5
      for (let i = 0; i < 100; i++) {
        const thread = threads.at(-1)!
        if (thread.batches.length === 0) break
        if (thread.batches[0]!.includes(fatal)) thread.end(new Error("Fatal"))
        else thread.answer()
      }
      assert.strictEqual(threads.length, 3)
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      for (const [question, exit] of exits.entries()) {
        if (question === fatal) assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
        else assert.deepStrictEqual(exit, Exit.succeed(question % 2 === 0))
      }
    }))

  it.effect("closing ends the threads and interrupts waiting requests", () =>
    Effect.gen(function*() {
      const { pool, threads } = make({ workersMax: 2, queueMax: 100 })
      const fibers = yield* askAll(pool, range(0, 30))
      yield* pool.close
      assert.isTrue(threads.every(({ ended }) => ended))
      assert.strictEqual(threads.length, 2)
      for (const exit of yield* Effect.forEach(fibers, Fiber.await)) {
        assert.isTrue(Exit.isFailure(exit) && Exit.hasInterrupts(exit))
      }
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(pool.run(1))))
    }))

  it.live("a real thread that crashes is replaced, and its request fails with the reason", () =>
    Effect.gen(function*() {
      let started = 0
      const start = () => {
        started++
        return new Worker(new URL("../../adapters/crypto/_worker.ts", import.meta.url), {
          workerData: network
        })
      }
      const pool = new WorkerPool<unknown>({ start, workersMax: 1, queueMax: 9 })
      const exit = yield* Effect.exit(pool.run({ publicKey: "", elements: [], signature: "" }))
      assert.isTrue(Exit.isFailure(exit) && /Poseidon of 0 inputs/u.test(Cause.pretty(exit.cause)))
      assert.strictEqual(started, 2)
      assert.isTrue(yield* pool.run(signedAuthorization(3)))
      assert.strictEqual(started, 3)
      yield* pool.close
    }))
})
