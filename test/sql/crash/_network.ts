import type { BlockFeed } from "../../../core/domain/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"

/** Time between two blocks of a writing process. */
export const PACE_MS = 30

/** Returns a chain without forks; the same seed gives the same chain. */
export const networkOf = (seed: string) => {
  const simulation = simulate({
    seed,
    users: 12,
    tokens: 3,
    rollBackPeriodBlocks: 0,
    placeholderRoots: true
  })
  return {
    genesis: simulation.genesis,
    next: (): BlockFeed => {
      for (;;) {
        const record = simulation.next()
        if (record.kind === "block") return record.block
      }
    }
  }
}
