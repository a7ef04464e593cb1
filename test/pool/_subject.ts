import { Context, Effect, Layer } from "effect"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { LedgerReader, LedgerWriter } from "../../core/ports/mod.ts"
import { rememberedKeccak256 } from "../crypto/remembered.ts"
import type { OpenPool, PoolSubject } from "../laws/mod.ts"

export const { genesis } = simulate({ seed: "pool" })

/** Opens new stores in memory. */
export const openMemory: Effect.Effect<OpenPool, never, never> = Effect.scoped(
  Effect.map(Layer.build(Layer.fresh(layer(genesis))), (services) => ({
    store: openMemoryPool(),
    reader: Context.get(services, LedgerReader),
    writer: Context.get(services, LedgerWriter)
  }))
)

export const subjectOf = (seed: string | number, runs: number): PoolSubject => ({
  genesis,
  keccak256: rememberedKeccak256,
  open: openMemory,
  seed,
  runs
})

/** To replay: SEED=123 npm test -- test/pool */
export const seed = process.env.SEED ?? "1"
