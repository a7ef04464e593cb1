import { SeededRandom } from "../../laws/_seeded_random.ts"
import type { MinimumBidCase } from "../../vectors/batch_cases.ts"

/** The part of the auction contract that decides the minimum bid of a slot. */
class AuctionContract {
  readonly #defaults: Array<bigint>
  /** The minimum that a change wrote into a closed slot. */
  readonly #closedMinimum = new Map<number, bigint>()

  constructor(defaults: ReadonlyArray<bigint>) {
    this.#defaults = [...defaults]
  }

  /** `changeDefaultSlotSetBid` of the contract. */
  change({ bid, closedAuctionSlots, currentSlot, slotSet }: MinimumBidCase["changes"][number]) {
    for (let slot = currentSlot; slot <= currentSlot + closedAuctionSlots; slot++) {
      if (!this.#closedMinimum.has(slot)) this.#closedMinimum.set(slot, this.minimum(slot))
    }
    this.#defaults[slotSet] = BigInt(bid)
  }

  minimum(slot: number): bigint {
    return this.#closedMinimum.get(slot) ?? this.#defaults[slot % 6]!
  }
}

/** Returns changes of the defaults with the minima by the contract. */
export function minimumBidCases(): ReadonlyArray<MinimumBidCase> {
  return Array.from({ length: 60 }, (_, number) => {
    const random = new SeededRandom(`minimum bids ${number}`)
    const defaults = Array.from({ length: 6 }, () => BigInt(1 + random.below(1000)))
    const contract = new AuctionContract(defaults)
    let currentSlot = random.below(10)
    const changes = Array.from({ length: 1 + random.below(6) }, () => {
      currentSlot += random.of([0, 0, 1, 2, 9])
      const change = {
        currentSlot,
        closedAuctionSlots: random.of([0, 1, 2, 5, 20]),
        slotSet: random.below(6),
        bid: String(1 + random.below(1000))
      }
      contract.change(change)
      return change
    })
    return {
      negative: false,
      genesisBids: defaults.map(String),
      changes,
      minima: Array.from({ length: 40 }, (_, ahead) => {
        const slot = currentSlot + ahead
        return [slot, String(contract.minimum(slot))] as const
      })
    }
  })
}
