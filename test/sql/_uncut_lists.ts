import { Context, Deferred, Effect, Fiber, Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { cutRemoved } from "../../adapters/sql/postings/write_postings.ts"
import { Database, databaseLayer } from "../../adapters/sql/connection/database.ts"
import type { OpenPool } from "../laws/mod.ts"

/** Locks the posting lists against writes by others; returns an effect that unlocks them. */
export const lockLists = (
  sql: SqlClient.SqlClient
): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const [locked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holding = yield* Effect.forkScoped(sql.withTransaction(Effect.gen(function*() {
      yield* sql.unsafe("LOCK TABLE posting IN EXCLUSIVE MODE")
      yield* Deferred.succeed(locked, undefined)
      yield* Deferred.await(released)
    })))
    yield* Deferred.await(locked)
    return Effect.andThen(
      Deferred.succeed(released, undefined),
      Effect.asVoid(Fiber.await(holding))
    )
  })

/** Stores whose rollbacks cannot cut the posting lists. */
export interface UncutLists {
  readonly stores: OpenPool
  /** Returns how many rollbacks left removed items in the lists. */
  readonly left: () => number
}

/**
 * Returns the same stores over the database of `url`, but no process can cut the lists after a
 * rollback before the next write. A rollback that waited for the lists would never end.
 */
export const withUncutLists = Effect.fnUntraced(
  function*(
    url: string,
    { writer, ...stores }: OpenPool
  ): Effect.fn.Return<UncutLists, never, Scope.Scope> {
    const scope = yield* Effect.scope
    const { writes: sql } = Context.get(
      yield* Effect.orDie(
        Layer.build(databaseLayer({ url: Redacted.make(url), idleTransactionMs: 120_000 }))
      ),
      Database
    )
    let release: Effect.Effect<void> = Effect.void
    let left = 0
    const hold = Effect.map(
      Effect.provideService(lockLists(sql), Scope.Scope, scope),
      (released) => void (release = released)
    )
    const unlock = Effect.suspend(() => {
      const released = release
      release = Effect.void
      return released
    })
    /** Cuts the items that the previous rollback left, as a rollback does first. */
    const cutNow = Effect.orDie(
      sql.withTransaction(
        Effect.andThen(sql.unsafe("SELECT FROM ledger FOR UPDATE"), cutRemoved(sql))
      )
    )
    const count = Effect.orDie(
      Effect.map(
        sql.unsafe("SELECT FROM ledger WHERE NOT lists_cut"),
        (rows) => void (left += rows.length)
      )
    )

    yield* Effect.addFinalizer(() => unlock)
    return {
      stores: {
        ...stores,
        writer: {
          apply: (block, decide) => Effect.andThen(unlock, writer.apply(block, decide)),
          setPrices: (prices, check) => Effect.andThen(unlock, writer.setPrices(prices, check)),
          setHead: (head, check) => Effect.andThen(unlock, writer.setHead(head, check)),
          rollBack: (toBlock, check) =>
            Effect.gen(function*() {
              yield* unlock
              yield* cutNow
              yield* hold
              const report = yield* writer.rollBack(toBlock, check)
              yield* count
              return report
            })
        }
      },
      left: () => left
    }
  }
)
