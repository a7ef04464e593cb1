import { assert, describe, it } from "@effect/vitest"
import { GenerationalCache } from "../../../adapters/http/cache/_generational_cache.ts"

/** Two generations of ten answers. */
const remember = () => {
  let nowMs = 0
  const memory = new GenerationalCache<{ readonly bytes: number }>(2 * 10 * 11_510, () => nowMs)
  const answer = { bytes: 10_000 }
  return {
    memory,
    /** One URL after the other, at a pace; which of them is kept. */
    walk: (name: string, count: number, everyMs: number) =>
      Array.from({ length: count }, (_, i) => {
        nowMs += everyMs
        if (memory.accepts(`/${name}${i}`, answer)) memory.put(`/${name}${i}`, answer)
        return memory.get(`/${name}${i}`) !== undefined
      }),
    asked: (url: string) => memory.get(url) !== undefined
  }
}

describe("The generational cache", () => {
  it("keeps whatever is asked for, and the last of it, where it comes slowly", () => {
    const { asked, memory, walk } = remember()
    assert.isTrue(walk("a", 100, 10_000).every((isKept) => isKept))
    assert.deepStrictEqual([asked("/a99"), asked("/a88"), asked("/a0")], [true, true, false])
    assert.strictEqual(memory.entries + memory.evictions, 100)
  })

  it("keeps in a flood what is asked for again, and what was there before it", () => {
    const { asked, walk } = remember()
    walk("before", 5, 10_000)
    const first = walk("a", 1000, 10)
    // until it is known for a flood
    assert.isAtMost(first.findLastIndex((isKept) => isKept), 20)
    assert.isTrue(asked("/before0"))
    assert.isTrue(walk("b", 5, 10).every((isKept) => !isKept))
    assert.isTrue(walk("b", 5, 10).every((isKept) => isKept))
  })

  it("forgets which URLs it was asked for where there are too many of them", () => {
    const { walk } = remember()
    walk("a", 100, 10)
    walk("b", 1000, 10)
    assert.isTrue(walk("b", 1, 10).every((isKept) => !isKept))
  })

  it("forgets what is there where the answer in its place is too large, and remembers no URL of such", () => {
    const { asked, memory, walk } = remember()
    const large = { bytes: 10 * 11_510 }
    walk("a", 1, 10_000)
    assert.isFalse(memory.accepts("/a0", large))
    assert.isFalse(asked("/a0"))
    walk("b", 100, 10)
    walk("c", 1, 10)
    for (const url of ["/large0", "/large1", "/large2"]) assert.isFalse(memory.accepts(url, large))
    assert.deepStrictEqual(walk("c", 1, 10), [true])
  })

  it("keeps what it is asked for again when the flood is over", () => {
    const { walk } = remember()
    walk("a", 1000, 10)
    const after = walk("b", 30, 10_000)
    assert.isAtMost(after.indexOf(true), 7)
    assert.isTrue(after.slice(7).every((isKept) => isKept))
  })
})
