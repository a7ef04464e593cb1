import { Effect } from "effect"
import { AdmissionQueue } from "../../../adapters/http/node/_admission_queue.ts"
import { Random } from "../../memory/_random.ts"

/*
 * A simulated event loop whose clock only advances with work: each turn reads all requests that
 * have arrived, then computes those that are waiting.
 */

/** The outcome of a request. */
export interface Outcome {
  readonly isRefused: boolean
  readonly atMs: number
  /** Time since its arrival. */
  readonly tookMs: number
}

interface Coming {
  readonly atMs: number
  readonly onOutcome: ((outcome: Outcome) => void) | undefined
}

export interface LoopOptions {
  readonly targetMs?: number
  /**
   * The average time of an answer, which takes between a fifth and nine fifths of it, and the time
   * of a refusal.
   */
  readonly computeMs: number
  readonly refuseMs?: number
}

export class Loop {
  readonly queue: AdmissionQueue
  readonly outcomes: Array<Outcome> = []
  nowMs = 0
  readonly #computeMs: number
  readonly #refuseMs: number
  readonly #random = new Random(2)
  /** Arrival times of random requests that are not read yet, in order. */
  #poured: ReadonlyArray<number> = []
  #read = 0
  /** Arrival times of the requests of clients, in order. */
  readonly #coming: Array<Coming> = []
  #later: (() => void) | undefined

  constructor({ computeMs, refuseMs = 0.05, targetMs = 5 }: LoopOptions) {
    this.#computeMs = computeMs
    this.#refuseMs = refuseMs
    this.queue = new AdmissionQueue({
      targetMs,
      nowMs: () => this.nowMs,
      defer: (run) => void (this.#later = run)
    })
  }

  /**
   * Adds requests that arrive at random with this rate, whether or not those before were answered.
   */
  pour(perSecond: number, untilMs: number, random = new Random(1)): void {
    const all: Array<number> = []
    for (
      let atMs = this.nowMs;
      atMs < untilMs;
      atMs -= Math.log(1 - random.next()) * 1000 / perSecond
    ) all.push(atMs)
    this.#poured = all
    this.#read = 0
  }

  /**
   * Adds clients that send a request as soon as they have an answer, or some time after a refusal.
   */
  keepAsking(clients: number, untilMs: number, patienceMs = 0.2): void {
    const ask = (atMs: number): void => {
      if (atMs < untilMs) {
        this.#come({
          atMs,
          onOutcome: ({ isRefused }) => ask(this.nowMs + (isRefused ? patienceMs : 0.2))
        })
      }
    }
    for (let i = 0; i < clients; i++) ask(this.nowMs)
  }

  /** Runs until there are no requests left. */
  run(): void {
    for (;;) {
      const firstMs = Math.min(
        this.#poured[this.#read] ?? Infinity,
        this.#coming[0]?.atMs ?? Infinity
      )
      const later = this.#later
      if (later === undefined && firstMs === Infinity) return
      if (later === undefined) this.nowMs = Math.max(this.nowMs, firstMs)
      const readMs = this.nowMs
      while ((this.#poured[this.#read] ?? Infinity) <= readMs) {
        this.#answer({ atMs: this.#poured[this.#read++]!, onOutcome: undefined })
      }
      while ((this.#coming[0]?.atMs ?? Infinity) <= readMs) this.#answer(this.#coming.shift()!)
      const next = this.#later
      this.#later = undefined
      next?.()
    }
  }

  #come(coming: Coming): void {
    let index = this.#coming.length
    while (index > 0 && this.#coming[index - 1]!.atMs > coming.atMs) index--
    this.#coming.splice(index, 0, coming)
  }

  #answer(coming: Coming): void {
    const end = (isRefused: boolean) => {
      this.nowMs += isRefused ? this.#refuseMs : this.#computeMs * (0.2 + 1.6 * this.#random.next())
      const outcome: Outcome = { isRefused, atMs: this.nowMs, tookMs: this.nowMs - coming.atMs }
      this.outcomes.push(outcome)
      coming.onOutcome?.(outcome)
    }
    const admission = this.queue.admit()
    if (typeof admission === "string") end(admission === "shed")
    else Effect.runFork(Effect.map(admission, (isAdmitted) => end(!isAdmitted)))
  }
}
