import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import { authorizationOf } from "../laws/pool/_pool_rows.ts"
import { type Cluster, type Standby, startCluster, startStandby } from "../postgres/mod.ts"
import { urlOfDatabase } from "../postgres/_statements.ts"
import { type Proxy, startProxy } from "../sql/_proxy.ts"
import { network, startProcess, until } from "./_process.ts"

/*
 * Two processes over a proxy that points at a PostgreSQL and at its streaming standby: the first one
 * writes the ledger, and both write the pool.
 */
describe("A proxy that points at a standby", () => {
  let primary: Cluster
  let standby: Standby
  let proxy: Proxy
  beforeAll(async () => {
    primary = await startCluster()
    standby = await startStandby(primary)
    proxy = await startProxy(primary.url)
  })
  afterAll(async () => {
    await proxy.close()
    await standby.cluster.remove()
    await primary.remove()
  })

  type Process = Effect.Success<ReturnType<typeof startProcess>>

  let addresses = 0
  /** Writes the pool with as many connections at once as a process has for writes. */
  const writePool = ({ pool }: Process) =>
    Effect.forEach(
      Array.from({ length: 7 }),
      () => Effect.result(pool.addAuthorization(authorizationOf(addresses++))),
      { concurrency: "unbounded" }
    )
  const allFailed = (results: ReadonlyArray<Result.Result<unknown, unknown>>) =>
    results.every(Result.isFailure)
  const allSucceeded = (results: ReadonlyArray<Result.Result<unknown, unknown>>) =>
    results.every(Result.isSuccess)

  /** Starts the writer of the ledger, then another process that waits for its place. */
  const startBoth = Effect.gen(function*() {
    const { pathname } = new URL(yield* Effect.promise(() => primary.createDatabase()))
    const url = urlOfDatabase(proxy.url, pathname.slice(1))
    const writer = yield* startProcess(url, network)
    const first = yield* writer.block
    yield* until(Effect.map(writer.block, (block) => block > first))
    const other = yield* startProcess(url, network)
    return { writer, other }
  })
  const growsAt = Effect.fnUntraced(function*(process: Process) {
    const before = yield* process.block
    yield* until(Effect.map(process.block, (block) => block > before + 3n))
  })

  it.live("for a moment: the processes do not stay with it, and another one takes over from a writer that was killed meanwhile", () =>
    Effect.scoped(Effect.gen(function*() {
      const { other, writer } = yield* startBoth
      yield* Effect.promise(() => standby.catchUp())
      proxy.pointTo(standby.cluster.url)
      proxy.cut()
      assert.isTrue(allFailed(yield* writePool(other)))
      assert.isTrue(allFailed(yield* writePool(writer)))
      const atStandby = yield* other.block
      // it cannot release its lease, as if it were killed
      yield* writer.end
      // the open connections stay with the standby
      proxy.pointTo(primary.url)
      assert.isTrue(allSucceeded(yield* writePool(other)))
      yield* until(Effect.map(other.block, (block) => block > atStandby + 3n))
    })).pipe(Effect.provide(Logger.layer([]))))

  it.live("that is promoted: both processes write again", () =>
    Effect.scoped(Effect.gen(function*() {
      const { other, writer } = yield* startBoth
      proxy.refusing = true
      proxy.cut()
      yield* Effect.promise(() => standby.catchUp())
      yield* Effect.promise(() => primary.kill())
      proxy.pointTo(standby.cluster.url)
      proxy.refusing = false
      assert.isTrue(allFailed(yield* writePool(writer)))
      assert.isTrue(allFailed(yield* writePool(other)))
      yield* Effect.promise(() => standby.promote())
      assert.isTrue(allSucceeded(yield* writePool(writer)))
      assert.isTrue(allSucceeded(yield* writePool(other)))
      yield* growsAt(writer)
      yield* growsAt(other)
    })).pipe(Effect.provide(Logger.layer([]))))
})
