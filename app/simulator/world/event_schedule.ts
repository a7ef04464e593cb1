import type { Random } from "./random.ts"

/** Average period of each scheduled event, in blocks. */
const PERIODS = {
  emptyBatch: 14,
  l1BatchWithoutTransactions: 25,
  batchOfSameBlockQueue: 12,
  severalBatches: 6,
  severalExits: 9,
  coordinatorAccount: 7,
  internalAccount: 8,
  partFailure: 3,
  wholeFailure: 5,
  latecomer: 9,
  token: 22,
  priceInBlock: 5,
  priceBetweenBlocks: 9,
  priceUnknown: 24,
  registration: 30,
  lowBid: 9,
  rollupVariables: 40,
  auctionVariables: 45,
  withdrawalDelayerVariables: 50,
  bucket: 10,
  instantWithdrawal: 3,
  delayedRequest: 6,
  delayedCollection: 12,
  authorization: 4,
  nonceGap: 6,
  replacement: 5,
  linkedTransactions: 4,
  newcomer: 5,
  forgingFailure: 15
} as const

export type Event = keyof typeof PERIODS

/**
 * Schedules rare events, so that each occurs even in a short run. The schedule is not rolled back
 * with the chain: an event that a rollback drops occurs again.
 */
export class EventSchedule {
  readonly #random: Random
  readonly #due = new Map<Event, number>()
  #block = 0

  constructor(random: Random) {
    this.#random = random
  }

  nextBlock(): void {
    this.#block++
  }

  /**
   * Returns whether the event is due, and then schedules its next occurrence. Call it only if the
   * event is possible: a due event that does not happen is lost.
   */
  takeDue(event: Event): boolean {
    const due = this.#due.get(event) ?? this.#schedule(event, 1)
    if (due > this.#block) return false
    this.#schedule(event, PERIODS[event] / 2)
    return true
  }

  #schedule(event: Event, afterBlocks: number): number {
    const due = this.#block +
      this.#random.integer(Math.ceil(afterBlocks), Math.floor(afterBlocks + PERIODS[event]))
    this.#due.set(event, due)
    return due
  }
}
