import { Effect } from "effect"
import type { Entry, RecordLog } from "../../adapters/journal/mod.ts"
import type { StoreFailure } from "../../core/mod.ts"

interface Waiting {
  readonly last: number
  readonly resume: (effect: Effect.Effect<void>) => void
}

type Kind = Entry["kind"]

/**
 * Keeps what a process answers from being seen before every process of the group can answer the same: then whoever asks one and then
 * another never goes back in time. A record shuts the gate for its store when it is applied, and word that everybody has it opens it.
 */
export class Gate {
  #shown = 0
  readonly #last = { ledger: 0, pool: 0 }
  #waiting: Array<Waiting> = []

  /** What is answered from now on may show this record. */
  applied(kind: Kind, record: number): void {
    this.#last[kind] = record
  }

  /** Everybody has all records up to this one. */
  show(last: number): void {
    this.#shown = Math.max(this.#shown, last)
    const waiting = this.#waiting
    this.#waiting = waiting.filter(({ last }) => last > this.#shown)
    for (const { last, resume } of waiting) if (last <= this.#shown) resume(Effect.void)
  }

  get shown(): number {
    return this.#shown
  }

  isOpen(kind: Kind): boolean {
    return this.#last[kind] <= this.#shown
  }

  /** Waits for what was applied until now, not for what comes meanwhile. */
  wait(kind: Kind): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.isOpen(kind)) return resume(Effect.void)
      const waiting = { last: this.#last[kind], resume }
      this.#waiting.push(waiting)
      return Effect.sync(() => void (this.#waiting = this.#waiting.filter((each) => each !== waiting)))
    })
  }
}

interface Under extends Pick<RecordLog, "append" | "durable"> {
  readonly failure?: () => StoreFailure | undefined
  readonly needsNoFeed?: boolean
}

/** The logs of both stores behind a gate. */
export const gatedLogs = (gate: Gate, { append, durable, failure, needsNoFeed = false }: Under) => {
  const log = (kind: Kind): RecordLog => ({
    get failure() {
      return failure?.()
    },
    get isDurable() {
      return gate.isOpen(kind)
    },
    needsNoFeed, append,
    // a log that fails ends the waiting
    durable: Effect.andThen(durable, gate.wait(kind))
  })
  return { ledger: log("ledger"), pool: log("pool") }
}
