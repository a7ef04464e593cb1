import { textOf } from "../../_answers.ts"
import { Context, Effect, Layer } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import {
  Application,
  type ApplicationOptions,
  type HttpRequest
} from "../../../adapters/http/mod.ts"
import * as memory from "../../../adapters/memory/mod.ts"
import { wireContext } from "../../../core/contract/mod.ts"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import {
  LedgerReader,
  LatestLedgerVersion,
  PoolStore,
  LatestPoolVersion
} from "../../../core/ports/mod.ts"
import { Ledger, Submission } from "../../../core/use_cases/mod.ts"
import { ownersOf, pendingExit } from "../../laws/pool/_pool_rows.ts"
import { cacheStats } from "../_cache_stats.ts"

export interface TestResponse {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** The versions of ledger and pool that an application knows without reading the stores. */
export interface Tips {
  readonly ledger: LatestLedgerVersion | null
  readonly pool: LatestPoolVersion | null
}

/** Opens stores in memory, and applications over them that know more or fewer of their versions. */
export const openStores = Effect.fnUntraced(function*(genesis: GenesisFeed) {
  const services = yield* Layer.build(
    Layer.fresh(
      Layer.provideMerge(
        Ledger.layer(genesis, keccak256),
        Layer.merge(memory.layer(genesis), memory.poolLayer)
      )
    )
  )
  let reads = 0
  let isFar = false
  /** Returns the same port, which counts its uses. */
  const counted = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name)
        if (Effect.isEffect(member)) {
          return Effect.suspend(() => (reads++, member as Effect.Effect<unknown>))
        }
        return typeof member === "function" ?
          (...given: ReadonlyArray<unknown>) =>
            Effect.suspend(() => {
              reads++
              const answer = (member as (...all: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(
                ...given
              )
              return isFar ? Effect.tap(answer, () => Effect.yieldNow) : answer
            }) :
          member
      }
    })
  const ports = Layer.mergeAll(
    Layer.succeed(LedgerReader, counted(Context.get(services, LedgerReader))),
    Layer.succeed(PoolStore, counted(Context.get(services, PoolStore))),
    Layer.mock(Submission, {})
  )
  const open = (tips: Tips, options: Partial<ApplicationOptions> = {}) => {
    const { measured, stats } = cacheStats()
    return measured(Layer.build(
      Layer.fresh(
        Application.layer({
          context: wireContext(genesis.network, keccak256),
          constants: genesis.constants,
          ...options
        })
      ).pipe(
        Layer.provide(
          Layer.mergeAll(
            ports,
            Layer.succeed(LatestLedgerVersion, tips.ledger),
            Layer.succeed(LatestPoolVersion, tips.pool)
          )
        )
      )
    )).pipe(Effect.map((context) => {
      const application = Context.get(context, Application)
      const send = (request: HttpRequest): Effect.Effect<TestResponse> =>
        Effect.map(
          Effect.suspend(() => application.handle(request)),
          (answer) => ({ status: answer.status, headers: answer.headers, body: textOf(answer) })
        )
      const ask = (url: string, headers: { readonly [name: string]: string } = {}) =>
        send({ method: "GET", url, headers })
      return { ask, send, stats }
    }))
  }
  return {
    ledger: Context.get(services, Ledger),
    pool: Context.get(services, PoolStore),
    tips: { ledger: Context.get(services, LatestLedgerVersion)!, pool: null },
    readsOf: () => reads,
    /** From now on, other fibers run before a list or an item that was read is returned. */
    moveAway: () => void (isFar = true),
    open
  }
})

const unlimited = { pendingMax: 1_000_000, pendingPerAccountMax: 1_000_000 }

/** Adds transactions to the pool, then changes them one by one; the number determines the order. */
export const stirPool = (
  pool: PoolStore["Service"],
  count: number,
  step: number
): Effect.Effect<void> =>
  Effect.orDie(Effect.gen(function*() {
    const { id } = pendingExit(step * 7 % count)
    const added = yield* pool.addTransaction(
      pendingExit(step % count),
      ownersOf(1),
      unlimited
    )
    if (added.kind === "added") return
    const now = yield* pool.transaction(id)
    if (now === null) return
    const next = ({
      pend: "fing",
      fing: step % 2 === 0 ? "fged" : "pend",
      fged: "pend",
      invl: "pend"
    } as const)[now.state]
    yield* pool.change([{
      id,
      from: now.state,
      fromBatchNum: now.batchNum,
      to: next,
      batchNum: next === "pend" ? null : step,
      reason: "Test"
    }], step)
  }))
