import type { RollBackReport } from "../../../core/ports/mod.ts"
import { type PlacedRollBack, StagedLedger } from "../../../core/use_cases/mod.ts"
import type { LoadedLedger } from "./_load_ledger.ts"
import type { BulkWrite, Placed } from "./bulk_write.ts"

interface Level {
  readonly staged: StagedLedger
  readonly placed: Array<Placed>
  /** The index of the rollback that removes the level; infinite if none does. */
  readonly removedBy: number
}

/**
 * Writes that are staged on the loaded part of a ledger. Writes that a later rollback removes are
 * staged on a level of their own, so that they are decided as all others, and never stored.
 */
export class StagedWrites {
  readonly rollBacks: Array<PlacedRollBack> = []
  readonly #removedBy: ReadonlyMap<number, number>
  readonly #levels: Array<Level>

  /** @param writes without a rollback below the last block of `base` */
  constructor(base: LoadedLedger, writes: ReadonlyArray<BulkWrite<unknown>>) {
    this.#removedBy = removingRollBacks(writes)
    this.#levels = [{ staged: new StagedLedger(base), placed: [], removedBy: Infinity }]
  }

  get #top(): Level {
    return this.#levels.at(-1)!
  }

  /** The ledger after the writes so far. */
  get ledger(): StagedLedger {
    return this.#top.staged
  }

  /** What was placed and not removed by a rollback. */
  get placed(): ReadonlyArray<Placed> {
    return this.#levels.flatMap(({ placed }) => placed)
  }

  /** Places a write, whose index among all writes is `index`. */
  place(index: number, place: (ledger: StagedLedger) => Placed): Placed {
    const removedBy = this.#removedBy.get(index) ?? Infinity
    // a rollback that removes a block removes those after it, so no level below goes before this one
    if (removedBy < this.#top.removedBy) {
      this.#levels.push({ staged: new StagedLedger(this.ledger.base), placed: [], removedBy })
    }
    const placed = place(this.ledger)
    this.#top.placed.push(placed)
    return placed
  }

  /** Removes the blocks above `toBlock`. */
  rollBack(index: number, toBlock: bigint, timeMs: number): RollBackReport {
    const removed = this.ledger
    let blocks = 0
    while (this.#top.removedBy === index) {
      blocks += this.#levels.pop()!.placed.filter(({ kind }) => kind === "block").length
    }
    const placed = this.ledger.rollBack(removed, { toBlock, blocks, timeMs })
    this.rollBacks.push(placed)
    return placed.report
  }
}

/** Returns the index of the rollback that removes a block, by the index of the block. */
const removingRollBacks = (writes: ReadonlyArray<BulkWrite<unknown>>): Map<number, number> => {
  const removedBy = new Map<number, number>()
  const stored: Array<readonly [number: bigint, index: number]> = []
  for (const [index, write] of writes.entries()) {
    // a block that is not above the last one is stored already
    if (write.kind === "block" && write.block.number > (stored.at(-1)?.[0] ?? 0n)) {
      stored.push([write.block.number, index])
    }
    if (write.kind !== "rollBack") continue
    while (stored.length > 0 && stored.at(-1)![0] > write.toBlock) {
      removedBy.set(stored.pop()![1], index)
    }
  }
  return removedBy
}
