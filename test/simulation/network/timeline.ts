import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import { advance } from "../../laws/naive/mod.ts"
import { type Facts, replay } from "../../laws/mod.ts"
import { type Counters, firstCounters, numbered } from "./_numbering.ts"

interface Snapshot {
  readonly facts: Facts
  readonly number: bigint
}

/** What the ledger must hold at each of its versions, worked out by the naive model. */
export class Timeline {
  readonly #keccak256: Keccak256
  readonly #genesis: Facts
  #snapshots: Array<Snapshot>
  #counters: Counters = firstCounters
  readonly #versions = new Map<number, Facts>()
  /** The last version that somebody was told of. */
  lastVersion = 0
  /** What the ledger was told and may or may not have taken in. */
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

  /** How many blocks can be dropped. */
  get depth(): number {
    return this.#snapshots.length - 1
  }

  /** The block so many below the last one. */
  below(blocks: number): bigint {
    return this.#snapshots[this.#snapshots.length - 1 - blocks]!.number
  }

  /** The ledger is told something; it holds it when that is answered, or shown. */
  tell(record: FeedRecord): void {
    this.open = record
    this.#ahead = undefined
  }

  /** What is true as soon as the open record is in the ledger. */
  get ahead(): Facts {
    return this.#next().facts
  }

  /** The open record was not taken in, and never will be. */
  withdraw(): void {
    this.open = undefined
    this.#ahead = undefined
  }

  /** The ledger says that it holds what it was told, at this version; what was told twice may have counted twice. */
  confirm(version: number): void {
    const record = this.open!
    const { counters, facts } = this.#next()
    for (let each = this.lastVersion + 1; each <= version; each++) this.#versions.set(each, facts)
    this.lastVersion = version
    this.#counters = counters
    if (record.kind === "block") this.#snapshots.push({ facts, number: record.block.number })
    else if (record.kind === "rollBack") this.#snapshots.splice(this.#kept(record.toBlock))
    else this.#snapshots.splice(-1, 1, { facts, number: this.#snapshots.at(-1)!.number })
    this.withdraw()
  }

  /** What was true at a version, where that is known by now. */
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
      return {
        facts: this.#snapshots[this.#kept(record.toBlock) - 1]!.facts,
        counters: this.#counters
      }
    }
    const after = advance(this.facts, record, this.#keccak256)
    return record.kind === "block"
      ? numbered(this.facts, after, this.#counters)
      : { facts: after, counters: this.#counters }
  }
}
