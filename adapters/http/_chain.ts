/** A place in a chain. It names no other one, and holds nothing, once it has been left. */
export class Link<A> {
  value: A | undefined
  before: Link<A> | undefined
  after: Link<A> | undefined
  constructor(value: A) {
    this.value = value
  }
}

/**
 * What comes and goes all the time, in the order in which it came. A Set makes a new table where the one before is full of what has left,
 * and the old one names the new one and all that was in it: as soon as one of them counts as old, the collector of young garbage takes for
 * alive what came after it, with all that it names. Behind each request that waited stands a page: that was some megabytes a second which only a
 * collection of the whole heap found.
 */
export class Chain<A> {
  #first: Link<A> | undefined
  #last: Link<A> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Who came first of those that are there. */
  get first(): Link<A> | undefined {
    return this.#first
  }

  get last(): Link<A> | undefined {
    return this.#last
  }

  add(value: A): Link<A> {
    const link = new Link(value)
    link.before = this.#last
    if (this.#last === undefined) this.#first = link
    else this.#last.after = link
    this.#last = link
    this.#size++
    return link
  }

  /** Undefined where it has been left already. */
  remove(link: Link<A>): A | undefined {
    const { after, before, value } = link
    if (value === undefined) return undefined
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    link.value = link.before = link.after = undefined
    this.#size--
    return value
  }

  *[Symbol.iterator](): Iterator<A> {
    for (let link = this.#first; link !== undefined; link = link.after) yield link.value!
  }
}
