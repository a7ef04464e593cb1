import { Effect } from "effect"
import { type ReplayedStores, takeInEntry } from "../../adapters/journal/mod.ts"
import type { Channel } from "./_channel.ts"
import type { Gate } from "./_gate.ts"
import type { Records } from "./message.ts"

export interface ReplicaOptions {
  readonly channel: Channel
  readonly gate: Gate
  /** New stores. */
  readonly stores: ReplayedStores
}

/**
 * Stores that do what others have done: each record in its turn, so that item ids, versions and arrivals are the same. What was missed is
 * asked for. A record that does not fit ends the process, which begins anew.
 */
export class Replica {
  readonly #options: ReplicaOptions
  /** The last record that is in the stores. */
  last = 0
  /** Called with it when it has moved. */
  onApplied: (last: number) => void = () => {}
  #head = 0
  #isPulling = false
  #onCaughtUp: () => void = () => {}

  constructor(options: ReplicaOptions) {
    this.#options = options
    const { channel } = options
    channel.on("pulled", ({ records }) => {
      this.#isPulling = false
      this.#take(records)
    })
    channel.on("accepted", ({ records }) => this.#take(records))
    channel.on("head", ({ head }) => this.#take({ first: this.last + 1, entries: [], head }))
  }

  /** Brings the stores to where the others are. */
  readonly catchUp: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    const { ledger, pool } = this.#options.stores
    const indexing = ledger.postponeIndex()
    const orderPool = pool.postponeOrders()
    yield* Effect.callback<void>((resume) => {
      this.#onCaughtUp = () => resume(Effect.void)
      this.#pull()
    })
    for (const _ of indexing) yield* Effect.yieldNow
    orderPool()
  })

  #take({ entries, first, head }: Records): void {
    this.#head = Math.max(this.#head, head)
    const before = this.last
    // some came twice, others are still missing
    for (const [i, entry] of entries.entries()) {
      if (first + i !== this.last + 1) continue
      takeInEntry(this.#options.stores, entry)
      this.#options.gate.applied(entry.kind, ++this.last)
    }
    if (this.last > before) this.onApplied(this.last)
    if (this.last < this.#head) this.#pull()
    else if (!this.#isPulling) this.#onCaughtUp()
  }

  #pull(): void {
    if (this.#isPulling) return
    this.#isPulling = true
    this.#options.channel.send({ kind: "pull", first: this.last + 1 })
  }
}
