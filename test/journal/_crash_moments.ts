import type { Child, ChildOutput } from "./_child.ts"

/** Durations on this machine, as measured with the previous children; null at first. */
interface Pace {
  openingMs: number | null
  writeMs: number | null
}

/** The share of crashes while the stores open. If writes are fast, opening takes most of a run. */
const openingShare = 0.25

/**
 * Decides when children are killed. Two of three by the clock: a quarter of these while they open
 * the stores and replay, the others at a uniformly random moment while they write. The others soon
 * after an acknowledgement, which would show a write that was acknowledged too early. The duration
 * of a run is estimated from the previous children.
 */
export function crashMoments(random: () => number, acknowledgementsMax: number) {
  const pace: Pace = { openingMs: null, writeMs: null }
  let turn = 0
  return {
    /**
     * Waits for the moment to kill a child that has just begun; returns whether it is determined by
     * the clock.
     */
    comes: async (child: Child): Promise<boolean> => {
      const [share, afterMs] = [random(), random() * 15]
      if (turn++ % 3 !== 0 && pace.openingMs !== null && pace.writeMs !== null) {
        const momentMs = share < openingShare
          ? share / openingShare * pace.openingMs
          : pace.openingMs +
            (share - openingShare) / (1 - openingShare) * acknowledgementsMax * pace.writeMs
        // a child that is faster than the previous ones is stopped too
        await Promise.race([sleep(momentMs), child.acknowledged(2 * acknowledgementsMax)])
        return true
      }
      await child.acknowledged(1 + Math.floor(share ** 2 * acknowledgementsMax))
      await sleep(afterMs)
      return false
    },
    learn: ({ openingMs, writeMs }: ChildOutput): void => {
      pace.openingMs = openingMs ?? pace.openingMs
      pace.writeMs = writeMs ?? pace.writeMs
    }
  }
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
