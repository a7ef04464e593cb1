import { Effect, type Fiber, type Scope } from "effect"
import type { FeedRecord } from "../../core/domain/mod.ts"
import type { PoolStore, StoreFailure } from "../../core/ports/mod.ts"
import type { BlockViolation, Ledger } from "../../core/use_cases/mod.ts"
import type { SimulationStep } from "./_pool_traffic.ts"
import { takePoolStep } from "./pool_step.ts"
import { prehistory } from "./prehistory.ts"
import type { Simulation } from "./simulation.ts"

export interface DriveOptions {
  readonly ledger: Pick<Ledger["Service"], "applyBlock" | "rollBack" | "setPrices">
  /** Without it nothing is signed, and blocks bring transactions that no pool knew. */
  readonly pool?: PoolStore["Service"]
  /** How many transactions are there before the network goes live. */
  readonly transactions: number
  /** Time between two blocks or rollbacks; 3000 by default, Infinity for none. */
  readonly paceMs?: number
}

type Driving<A> = Effect.Effect<A, BlockViolation | StoreFailure>

/**
 * Feeds a ledger and a pool: the prehistory at once, then in the background, until the scope closes, one block or rollback at each pace.
 * The fiber fails with what the ledger refuses.
 */
export const drive = (
  simulation: Simulation, options: DriveOptions
): Effect.Effect<Fiber.Fiber<void, BlockViolation | StoreFailure>, BlockViolation | StoreFailure, Scope.Scope> =>
  Effect.gen(function*() {
    for (const record of prehistory(simulation, options.transactions)) yield* apply(options, record)
    return yield* Effect.forkScoped(live(simulation, options))
  })

/** One block or rollback with what happens to the pool around it. */
export const driveOnce = (simulation: Simulation, options: Pick<DriveOptions, "ledger" | "pool">): Driving<void> =>
  options.pool === undefined
    ? apply(options, simulation.next())
    : Effect.forEach(simulation.nextLive(), (step) => takeStep(options, step), { discard: true })

const live = (simulation: Simulation, options: DriveOptions): Driving<void> => {
  const { paceMs = 3000 } = options
  if (paceMs === Infinity) return Effect.void
  return Effect.forever(Effect.andThen(Effect.sleep(paceMs), Effect.suspend(() => driveOnce(simulation, options))))
}

function apply({ ledger }: Pick<DriveOptions, "ledger">, record: FeedRecord): Driving<unknown> {
  switch (record.kind) {
    case "genesis":
      return Effect.void
    case "block":
      return ledger.applyBlock(record.block)
    case "rollBack":
      return ledger.rollBack(record.toBlock)
    case "prices":
      return ledger.setPrices(record.prices)
  }
}

function takeStep(options: Pick<DriveOptions, "ledger" | "pool">, step: SimulationStep): Driving<unknown> {
  const { pool } = options
  if (step.kind === "feed") return apply(options, step.record)
  return pool === undefined ? Effect.void : takePoolStep(pool, step)
}
