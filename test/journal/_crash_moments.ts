import type { Child, ChildReport } from "./_child.ts"

/** The times of the last children on this machine; null before the first. */
interface Pace {
  openingMs: number | null
  writeMs: number | null
}

/** Share of the timed moments in the opening, which takes most of a run if writes are fast. */
const openingShare = 0.25

/**
 * Chooses the moments at which children are killed. Two of three are by the clock: a quarter of
 * these while the child opens the stores and replays, the others at a uniformly random moment of
 * its writes. Every third is soon after an acknowledgement, so that a write that is acknowledged
 * too early is lost. The times of earlier children predict how long a run takes.
 */
export function crashMoments(random: () => number, acknowledgementsMax: number) {
  const pace: Pace = { openingMs: null, writeMs: null }
  let runs = 0
  return {
    /** Waits until the moment to kill a child that has just begun. Returns whether it is timed. */
    wait: async (child: Child): Promise<boolean> => {
      const [position, afterMs] = [random(), random() * 15]
      if (runs++ % 3 !== 0 && pace.openingMs !== null && pace.writeMs !== null) {
        const momentMs = position < openingShare
          ? position / openingShare * pace.openingMs
          : pace.openingMs +
            (position - openingShare) / (1 - openingShare) * acknowledgementsMax * pace.writeMs
        // the limit is for a child that is faster than the earlier ones
        await Promise.race([sleep(momentMs), child.acknowledged(2 * acknowledgementsMax)])
        return true
      }
      await child.acknowledged(1 + Math.floor(position ** 2 * acknowledgementsMax))
      await sleep(afterMs)
      return false
    },
    /** Takes the times of a child into account. */
    learn: ({ openingMs, writeMs }: ChildReport): void => {
      pace.openingMs = openingMs ?? pace.openingMs
      pace.writeMs = writeMs ?? pace.writeMs
    }
  }
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
