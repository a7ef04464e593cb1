/** Where a follower is. */
interface Member {
  last: number
  /** Fires when it has not moved for too long. */
  timer: NodeJS.Timeout | undefined
}

export interface SequenceOptions {
  /** Everybody has the records up to this one. */
  readonly onShown: (last: number) => void
  /** A follower has had something to do for `lagMaxMs` and has not done any of it. */
  readonly onLag: (id: number) => void
  readonly lagMaxMs: number
}

/** Knows which records there are and who has them: what everybody has may be shown. */
export class Sequence {
  readonly #options: SequenceOptions
  readonly #members = new Map<number, Member>()
  #head = 0
  #shown = 0

  constructor(options: SequenceOptions) {
    this.#options = options
  }

  get head(): number {
    return this.#head
  }
  /** What may be shown by whoever has it. */
  get shown(): number {
    return this.#shown
  }

  /** There are records up to this one. */
  accepted(head: number): void {
    this.#head = head
    for (const [id, member] of this.#members) this.#watch(id, member)
    this.#advance()
  }

  /** From now on nothing is shown that this one does not have. */
  join(id: number, last: number): void {
    const member = { last, timer: undefined }
    this.#members.set(id, member)
    this.#watch(id, member)
    this.#advance()
  }

  applied(id: number, last: number): void {
    const member = this.#members.get(id)
    if (member === undefined) return
    member.last = last
    clearTimeout(member.timer)
    member.timer = undefined
    this.#watch(id, member)
    this.#advance()
  }

  leave(id: number): void {
    clearTimeout(this.#members.get(id)?.timer)
    this.#members.delete(id)
    this.#advance()
  }

  #watch(id: number, member: Member): void {
    if (member.last < this.#head) member.timer ??= setTimeout(() => this.#options.onLag(id), this.#options.lagMaxMs)
  }

  #advance(): void {
    let shown = this.#head
    for (const { last } of this.#members.values()) shown = Math.min(shown, last)
    if (shown <= this.#shown) return
    this.#shown = shown
    this.#options.onShown(shown)
  }
}
