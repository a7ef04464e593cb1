import type { BlockFeed } from "../../../core/domain/mod.ts"
import { simulate } from "../../../app/simulator/mod.ts"

/** Between two blocks of a process that writes. */
export const PACE_MS = 30

/** A chain without forks, one block after the other, the same for everybody who names the seed. */
export const networkOf = (seed: string) => {
  const simulation = simulate({
    seed,
    users: 12,
    tokens: 3,
    rollBackPeriodBlocks: 0,
    standInRoots: true
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
