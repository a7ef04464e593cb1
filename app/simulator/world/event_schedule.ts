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
  emptyKeyAccount: 40,
  extraFeeAccounts: 8,
  partFailure: 3,
  wholeFailure: 4,
  nullifiedExit: 5,
  creationWithExit: 12,
  emptyTransfer: 8,
  greatFee: 20,
  queueBurst: 60,
  latecomer: 9,
  token: 14,
  priceInBlock: 5,
  priceBetweenBlocks: 9,
  priceUnknown: 24,
  registration: 15,
  rollupVariables: 40,
  safeMode: 80,
  verifiers: 60,
  defaultBids: 26,
  closedSlots: 24,
  openSlots: 60,
  slotDeadline: 60,
  outbidding: 50,
  allocationRatio: 60,
  donationAddress: 60,
  bootCoordinator: 60,
  withdrawalDelayerVariables: 30,
  emergency: 80,
  noDelay: 60,
  absentForger: 30,
  instantWithdrawal: 3,
  delayedRequest: 6,
  delayedCollection: 8,
  emptyExitWithdrawal: 8,
  authorization: 4,
  nonceGap: 6,
  replacement: 5,
  linkedTransactions: 4,
  lastBatch: 4,
  group: 4,
  put: 5,
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
