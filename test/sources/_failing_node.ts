import { Context, Effect, Layer } from "effect"
import { memoryNode } from "../../app/memory_node.ts"
import type { LiveNode } from "../../app/simulator/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader, LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"

/**
 * When a call fails: before the store does anything (`lost`), after it has done it (`unheard`), or
 * never.
 */
export type Fate = "lost" | "unheard" | "answered"

const failure = Effect.fail(new StoreFailure({ message: "The database is gone", retry: true }))

const fated = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  fate: () => Fate
): Effect.Effect<A, E | StoreFailure, R> =>
  Effect.suspend((): Effect.Effect<A, E | StoreFailure, R> => {
    const drawn = fate()
    return drawn === "lost" ? failure : drawn === "unheard" ? Effect.andThen(call, failure) : call
  })

/** Returns a service whose effects may fail. */
const fatedService = <Service extends object>(service: Service, fate: () => Fate): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      Effect.isEffect(member)
        ? fated(member, fate)
        : (...args: ReadonlyArray<unknown>) =>
          fated(
            (member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args),
            fate
          )
    ])
  ) as Service

/** A node in memory whose store fails as specified. */
export const failingNode = (
  genesis: GenesisFeed,
  fate: () => Fate
): Layer.Layer<LiveNode | LedgerWriter> =>
  Layer.effectContext(
    Effect.map(Layer.build(memoryNode({ genesis })), (node) =>
      Context.make(Ledger, fatedService(Context.get(node, Ledger), fate)).pipe(
        Context.add(Pool, fatedService(Context.get(node, Pool), fate)),
        Context.add(Submission, fatedService(Context.get(node, Submission), fate)),
        Context.add(LedgerReader, fatedService(Context.get(node, LedgerReader), fate)),
        Context.add(LedgerWriter, fatedService(Context.get(node, LedgerWriter), fate))
      ))
  )

/** Returns 32-bit numbers, the same for the same seed. */
export const random = (seed: string) => {
  let state = Array.from(seed).reduce(
    (hash, letter) => Math.imul(hash, 31) + letter.codePointAt(0)!,
    7
  )
  return () => {
    state = Math.imul(state, 1664525) + 1013904223
    return (state >>> 0) >>> 8
  }
}

/**
 * Waits in real time: the code that verifies signatures is loaded with the first one, which a test
 * clock cannot advance.
 */
export const realTurn = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
