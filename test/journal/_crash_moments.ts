import type { Child, Said } from "./_child.ts"

/** How long what a child does takes on this machine, as the last ones have shown; null until one has. */
interface Pace {
  openingMs: number | null
  writeMs: number | null
}

/** Where writes are quick a run is mostly its opening, and few moments would be left for them. */
const openingShare = 0.25

/**
 * When children are killed. Two of three by the clock: one of four of these while they open the stores and replay, the others at a moment that
 * is as likely anywhere in their writing, in the middle of a write or while nothing happens. The others soon after an acknowledgement, where a write that was answered too
 * early would be lost. How long a run of so many writes takes the clock knows from the children before.
 */
export function crashMoments(random: () => number, acknowledgementsMax: number) {
  const pace: Pace = { openingMs: null, writeMs: null }
  let turn = 0
  return {
    /** Waits for the moment of a child that has just begun; whether the clock said it. */
    comes: async (child: Child): Promise<boolean> => {
      const [place, afterMs] = [random(), random() * 15]
      if (turn++ % 3 !== 0 && pace.openingMs !== null && pace.writeMs !== null) {
        const momentMs = place < openingShare
          ? place / openingShare * pace.openingMs
          : pace.openingMs +
            (place - openingShare) / (1 - openingShare) * acknowledgementsMax * pace.writeMs
        // a child that is faster than the ones before is not let run on and on
        await Promise.race([sleep(momentMs), child.acknowledged(2 * acknowledgementsMax)])
        return true
      }
      await child.acknowledged(1 + Math.floor(place ** 2 * acknowledgementsMax))
      await sleep(afterMs)
      return false
    },
    learn: ({ openingMs, writeMs }: Said): void => {
      pace.openingMs = openingMs ?? pace.openingMs
      pace.writeMs = writeMs ?? pace.writeMs
    }
  }
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
