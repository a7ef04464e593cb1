import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import { advance } from "../../laws/naive/mod.ts"
import { type Facts, replay } from "../../laws/mod.ts"
import { type Counters, firstCounters, numbered } from "./_numbering.ts"

interface Snapshot {
  readonly facts: Facts
  readonly number: bigint
}

/** The expected content of the ledger at each of its versions, by the naive model. */
export class Timeline {
  readonly #keccak256: Keccak256
  readonly #genesis: Facts
  #snapshots: Array<Snapshot>
  #counters: Counters = firstCounters
  readonly #versions = new Map<number, Facts>()
  /** The last confirmed version. */
  lastVersion = 0
  /** The record whose write has no known outcome. */
  open: FeedRecord | undefined
  #ahead: { readonly facts: Facts; readonly counters: Counters } | undefined

  constructor(genesis: GenesisFeed, keccak256: Keccak256) {
    this.#keccak256 = keccak256
    const empty = replay(genesis, [], keccak256)
    this.#genesis = { ...empty, tokens: empty.tokens.map((token) => ({ ...token, itemId: 1 })) }
    this.#snapshots = [{ facts: this.#genesis, number: genesis.block.number }]
    this.#versions.set(0, this.#genesis)
  }

  get facts(): Facts {
    return this.#snapshots.at(-1)!.facts
  }

  /** How many blocks can be rolled back. */
  get depth(): number {
    return this.#snapshots.length - 1
  }

  /** Returns the number of the block this many blocks below the last one. */
  below(blocks: number): bigint {
    return this.#snapshots[this.#snapshots.length - 1 - blocks]!.number
  }

  /**
   * Notes a record that is written to the ledger; a confirmation or a response then shows whether
   * it was applied.
   */
  tell(record: FeedRecord): void {
    this.open = record
    this.#ahead = undefined
  }

  /** The facts if the open record is applied. */
  get ahead(): Facts {
    return this.#next().facts
  }

  /** The open record was not applied, and never will be. */
  withdraw(): void {
    this.open = undefined
    this.#ahead = undefined
  }

  /**
   * The ledger confirms the record at this version; a repeated write may have incremented the
   * version twice.
   */
  confirm(version: number): void {
    const record = this.open!
    const { counters, facts } = this.#next()
    for (let each = this.lastVersion + 1; each <= version; each++) this.#versions.set(each, facts)
    this.lastVersion = version
    this.#counters = counters
    if (record.kind === "block") this.#snapshots.push({ facts, number: record.block.number })
    else if (record.kind === "rollBack") {
      this.#snapshots.splice(this.#kept(record.toBlock))
      this.#snapshots.splice(-1, 1, { facts, number: this.#snapshots.at(-1)!.number })
    } else this.#snapshots.splice(-1, 1, { facts, number: this.#snapshots.at(-1)!.number })
    this.withdraw()
  }

  /** Returns the facts at a version, or undefined if it is not known yet. */
  at(version: number): Facts | undefined {
    return this.#versions.get(version)
  }

  #kept(toBlock: bigint): number {
    return this.#snapshots.findLastIndex(({ number }) => number <= toBlock) + 1
  }

  #next(): { readonly facts: Facts; readonly counters: Counters } {
    return this.#ahead ??= this.#after(this.open!)
  }

  #after(record: FeedRecord): { readonly facts: Facts; readonly counters: Counters } {
    if (record.kind === "rollBack") {
      const { facts } = this.#snapshots[this.#kept(record.toBlock) - 1]!
      // the last head counts, not that of the snapshot
      const { head } = this.facts
      const isKept = head !== null && head.number <= record.toBlock
      return {
        facts: { ...facts, head: isKept ? head : null },
        counters: this.#counters
      }
    }
    const after = advance(this.facts, record, this.#keccak256)
    return record.kind === "block"
      ? numbered(this.facts, after, this.#counters)
      : { facts: after, counters: this.#counters }
  }
}
