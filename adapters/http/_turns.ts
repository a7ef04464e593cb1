import { Effect } from "effect"
import { Chain } from "./_chain.ts"
import type { Turn } from "./message.ts"

/** Requests that wait before anybody is refused. */
const waitingMax = 256
/** How long the first of them has waited then: where answers are cheap, more than that many are no load. */
const patienceMs = 50
/** Those that wait are counted so often: more is asked than can be answered where each time there are so many times as many, not at once but on and on. */
const growthMs = 40
const growth = 1.1
const growingMin = 64
/** So many are too many without any growth, in the end. */
const standingMax = 512
const standingMs = 2000
/**
 * How long computing may go on before the event loop looks for what has come: a turn of the loop takes one new connection, and reads all requests.
 * What is computed as soon as it was read costs less than what waits.
 */
const sliceMs = { usual: 2, inOverload: 0.5 }
/** Connections that are taken between two slices, where so many come. */
const takingMax = 32
/** An overload is over when all that came in so long could have been computed in a part of that time, or fewer were refused than may wait instead. */
const calms = [{ ms: 100, share: 0.7, refusals: 0 }, { ms: 500, share: 0.9, refusals: 32 }] as const
/** Who looks so much later while others wait was kept from it, and what came in that time was not seen: such a look tells nothing. */
const lateLook = 1.5
/** After so long it is looked at anew: who asks again as soon as it was refused looks like many clients. */
const renewMs = 60_000

export interface TurnsOptions {
  /** How long a request may wait in an overload; 0 refuses nothing. */
  readonly waitMs: number
  readonly nowMs?: () => number
  /** Calls back when the event loop has looked for what has come. */
  readonly later?: (run: () => void) => void
}

interface Overload {
  readonly sinceMs: number
  /** For each way to tell that it is over. */
  readonly counts: ReadonlyArray<{ sinceMs: number; computed: number; refused: number }>
}

interface Waiting {
  readonly sinceMs: number
  /** Of those that waited when it came, itself included. */
  readonly place: number
  readonly resume: (isComputed: boolean) => void
}

/**
 * Lets requests whose answers have to be computed take turns, first come first served, and refuses the newest ones where more is asked than
 * can be answered. A long queue that does not grow is no overload: it belongs to clients each of which waits for its answer, and to refuse
 * them gains nothing, or something stood in the way, and then it shrinks. In an overload the bound is the time that a newcomer would wait,
 * told from how long others waited: then few wait, answers are quick, and who is refused learns it as soon as its request is read.
 */
export class Turns {
  readonly #waitMs: number
  readonly #nowMs: () => number
  readonly #later: (run: () => void) => void
  readonly #waiting = new Chain<Waiting>()
  /** What is computed at once is computed before. */
  #sliceEndsMs = 0
  #isAwaited = false
  /** What each of those that wait adds to the time that the next one waits. */
  #perRequestMs = 0
  /** What computing one answer takes. */
  #computeMs = 0
  /** How many waited when they were counted last. */
  #counted = { atMs: 0, size: 0 }
  /** Since when many wait. */
  #manySinceMs = Infinity
  /** Turns of the loop in which connections were taken instead of computing. */
  #taking = 0
  #isConnected = false
  #overload: Overload | undefined

  constructor({ later = setImmediate, nowMs = () => performance.now(), waitMs }: TurnsOptions) {
    this.#waitMs = waitMs
    this.#nowMs = nowMs
    this.#later = later
  }

  /** Asked before an answer is computed. */
  readonly take = (): Turn => {
    const nowMs = this.#nowMs()
    if (this.#isLate(nowMs)) return "late"
    if (!this.#isAwaited) {
      this.#sliceEndsMs = nowMs + this.#sliceMs
      this.#await()
    } else if (this.#waiting.size > 0 || nowMs >= this.#sliceEndsMs) return this.#wait
    this.#count("computed")
    return "now"
  }

  /** A client has connected: there may be more of them, which the event loop takes one by one. */
  readonly connected = (): void => void (this.#isConnected = true)

  readonly #wait: Effect.Effect<boolean> = Effect.callback((resume) => {
    const waiting: Waiting = { sinceMs: this.#nowMs(), place: this.#waiting.size + 1, resume: (isComputed) => resume(Effect.succeed(isComputed)) }
    const link = this.#waiting.add(waiting)
    if (!this.#isAwaited) this.#await()
    return Effect.sync(() => void this.#waiting.remove(link))
  })

  #await(): void {
    this.#isAwaited = true
    this.#later(this.#next)
  }

  /** Who waited first is computed first, for a slice of time; then the event loop has its turn. */
  readonly #next = (): void => {
    this.#isAwaited = false
    if (this.#isConnected && this.#taking < takingMax) {
      this.#isConnected = false
      this.#taking++
      return this.#await()
    }
    this.#taking = 0
    const endsMs = this.#nowMs() + this.#sliceMs
    let nowMs = this.#nowMs()
    for (let link = this.#waiting.first; link !== undefined && nowMs < endsMs; link = this.#waiting.first) {
      const waiting = this.#waiting.remove(link)!
      this.#perRequestMs += ((nowMs - waiting.sinceMs) / waiting.place - this.#perRequestMs) / 16
      this.#count("computed")
      waiting.resume(true)
      const beganMs = nowMs
      nowMs = this.#nowMs()
      this.#computeMs += (nowMs - beganMs - this.#computeMs) / 64
    }
    if (this.#waiting.size === 0) return
    this.#sliceEndsMs = 0
    this.#await()
  }

  #isLate(nowMs: number): boolean {
    if (this.#waitMs === 0) return false
    const { size } = this.#waiting
    const overload = this.#overload
    if (overload === undefined) {
      if (!this.#isOverload(size, nowMs)) return false
      this.#overload = { sinceMs: nowMs, counts: calms.map(() => ({ sinceMs: nowMs, computed: 0, refused: 1 })) }
      this.#refuseNewest()
      return true
    }
    if (this.#isOver(overload, nowMs)) {
      this.#overload = undefined
      return this.#isLate(nowMs)
    }
    // one may always wait, however long a single answer takes
    if (size === 0 || ((size + 1) * this.#perRequestMs <= this.#waitMs && nowMs - this.#firstMs <= this.#waitMs)) return false
    this.#count("refused")
    return true
  }

  #count(what: "computed" | "refused"): void {
    for (const count of this.#overload?.counts ?? []) count[what]++
  }

  #isOver({ counts, sinceMs }: Overload, nowMs: number): boolean {
    for (const [i, { ms, refusals, share }] of calms.entries()) {
      const count = counts[i]!
      const passedMs = nowMs - count.sinceMs
      if (passedMs < ms) continue
      const isSeen = this.#waiting.size === 0 || passedMs < ms * lateLook
      const demandMs = (count.computed + count.refused) * this.#computeMs
      if (isSeen && (demandMs < share * passedMs || count.refused < refusals)) return true
      count.sinceMs = nowMs
      count.computed = count.refused = 0
    }
    return nowMs - sinceMs >= renewMs
  }

  #isOverload(size: number, nowMs: number): boolean {
    const { atMs, size: before } = this.#counted
    const isCounted = nowMs - atMs >= growthMs
    if (isCounted) this.#counted = { atMs: nowMs, size }
    if (size < standingMax) this.#manySinceMs = Infinity
    else if (this.#manySinceMs === Infinity) this.#manySinceMs = nowMs
    const isGrowing = isCounted && before >= growingMin && size >= before * growth
    return size >= waitingMax && nowMs - this.#firstMs >= patienceMs && (isGrowing || nowMs - this.#manySinceMs >= standingMs)
  }

  /**
   * Those of the queue that would have been refused when they came, had anybody known. They learn it late, but there are few of them among
   * all that are refused, and of those that are answered they would be the slowest hundredth.
   */
  #refuseNewest(): void {
    for (let link = this.#waiting.last; link !== undefined && this.#waiting.size * this.#perRequestMs > this.#waitMs; link = this.#waiting.last) {
      this.#waiting.remove(link)!.resume(false)
    }
  }

  get #sliceMs(): number {
    return this.#overload === undefined ? sliceMs.usual : sliceMs.inOverload
  }

  /** Since when the first one waits. */
  get #firstMs(): number {
    return this.#waiting.first?.value?.sinceMs ?? Infinity
  }
}
