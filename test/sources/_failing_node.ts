import { Context, Effect, Layer } from "effect"
import { memoryNode } from "../_memory_node.ts"
import type { LiveNode } from "../../app/simulator/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { LedgerReader, LedgerWriter, StoreFailure } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"

/**
 * When a call fails: before the store does anything (`lost`), after it has done it (`unacknowledged`), or
 * never.
 */
export type CallOutcome = "lost" | "unacknowledged" | "answered"

const failure = Effect.fail(new StoreFailure({ message: "The database is gone", retry: true }))

const withOutcome = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  outcome: () => CallOutcome
): Effect.Effect<A, E | StoreFailure, R> =>
  Effect.suspend((): Effect.Effect<A, E | StoreFailure, R> => {
    const drawn = outcome()
    return drawn === "lost"
      ? failure
      : drawn === "unacknowledged"
      ? Effect.andThen(call, failure)
      : call
  })

/** Returns a service whose effects may fail. */
const serviceWithOutcomes = <Service extends object>(
  service: Service,
  outcome: () => CallOutcome
): Service =>
  Object.fromEntries(
    Object.entries(service).map(([name, member]) => [
      name,
      Effect.isEffect(member)
        ? withOutcome(member, outcome)
        : (...args: ReadonlyArray<unknown>) =>
          withOutcome(
            (member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args),
            outcome
          )
    ])
  ) as Service

/** A node in memory whose store fails as specified. */
export const failingNode = (
  genesis: GenesisFeed,
  outcome: () => CallOutcome
): Layer.Layer<LiveNode | LedgerWriter> =>
  Layer.effectContext(
    Effect.map(Layer.build(memoryNode({ genesis })), (node) =>
      Context.make(Ledger, serviceWithOutcomes(Context.get(node, Ledger), outcome)).pipe(
        Context.add(Pool, serviceWithOutcomes(Context.get(node, Pool), outcome)),
        Context.add(Submission, serviceWithOutcomes(Context.get(node, Submission), outcome)),
        Context.add(LedgerReader, serviceWithOutcomes(Context.get(node, LedgerReader), outcome)),
        Context.add(LedgerWriter, serviceWithOutcomes(Context.get(node, LedgerWriter), outcome))
      ))
  )

/**
 * Waits in real time: the code that verifies signatures is loaded with the first one, which a test
 * clock cannot advance.
 */
export const realTurn = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
