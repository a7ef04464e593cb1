import { Context, Effect, Layer } from "effect"
import { LedgerWriter, PoolStore, type StoreFailure } from "../../core/mod.ts"
import type { Stores } from "../node/mod.ts"

/**
 * Returns stores whose writes first run `check` if they add data. Reads and rollbacks do not, nor does
 * a write of no prices, by which a feed learns its position.
 */
export const guardStores = <E>(
  stores: Layer.Layer<Stores, E>,
  check: Effect.Effect<void, StoreFailure>
): Layer.Layer<Stores, E> => {
  const guarded =
    <Args extends ReadonlyArray<unknown>, A, E>(write: (...args: Args) => Effect.Effect<A, E>) =>
    (...args: Args) => Effect.andThen(check, write(...args))
  return Layer.flatMap(stores, (context) => {
    const [writer, pool] = [Context.get(context, LedgerWriter), Context.get(context, PoolStore)]
    return Layer.succeedContext(context.pipe(
      Context.add(LedgerWriter, {
        ...writer,
        apply: guarded(writer.apply),
        setPrices: (prices, check) =>
          (prices.length === 0 ? writer.setPrices : guarded(writer.setPrices))(prices, check)
      }),
      Context.add(PoolStore, {
        ...pool,
        addTransaction: guarded(pool.addTransaction),
        addGroup: guarded(pool.addGroup),
        replaceTransaction: guarded(pool.replaceTransaction),
        addAuthorization: guarded(pool.addAuthorization)
      })
    ))
  })
}
