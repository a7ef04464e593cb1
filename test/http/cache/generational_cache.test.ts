import { assert, describe, it } from "@effect/vitest"
import { GenerationalCache } from "../../../adapters/http/cache/_generational_cache.ts"

/** A cache with two generations of ten answers. */
const remember = () => {
  let nowMs = 0
  const memory = new GenerationalCache<{ bytes: number }>(2 * 10 * 11_510, () => nowMs)
  const answer = { bytes: 10_000 }
  return {
    memory,
    /** Requests one URL after the other at a pace; returns which of them are cached. */
    walk: (name: string, count: number, everyMs: number) =>
      Array.from({ length: count }, (_, i) => {
        nowMs += everyMs
        if (memory.accepts(`/${name}${i}`, answer)) memory.put(`/${name}${i}`, answer)
        return memory.get(`/${name}${i}`) !== undefined
      }),
    isCached: (url: string) => memory.get(url) !== undefined
  }
}

describe("The generational cache", () => {
  it("caches every requested URL, and the last ones, if requests are slow", () => {
    const { isCached, memory, walk } = remember()
    assert.isTrue(walk("a", 100, 10_000).every((isKept) => isKept))
    assert.deepStrictEqual([isCached("/a99"), isCached("/a88"), isCached("/a0")], [
      true,
      true,
      false
    ])
    assert.strictEqual(memory.entries + memory.evictions, 100)
  })

  it("during a scan, caches URLs that are requested again and keeps what it had", () => {
    const { isCached, walk } = remember()
    walk("before", 5, 10_000)
    const first = walk("a", 1000, 10)
    // until the scan is detected
    assert.isAtMost(first.findLastIndex((isKept) => isKept), 20)
    assert.isTrue(isCached("/before0"))
    assert.isTrue(walk("b", 5, 10).every((isKept) => !isKept))
    assert.isTrue(walk("b", 5, 10).every((isKept) => isKept))
  })

  it("forgets requested URLs if there are too many", () => {
    const { walk } = remember()
    walk("a", 100, 10)
    walk("b", 1000, 10)
    assert.isTrue(walk("b", 1, 10).every((isKept) => !isKept))
  })

  it("removes an answer if its replacement is too large, and remembers no URL of such an answer", () => {
    const { isCached, memory, walk } = remember()
    const large = { bytes: 10 * 11_510 }
    walk("a", 1, 10_000)
    assert.isFalse(memory.accepts("/a0", large))
    assert.isFalse(isCached("/a0"))
    walk("b", 100, 10)
    walk("c", 1, 10)
    for (const url of ["/large0", "/large1", "/large2"]) assert.isFalse(memory.accepts(url, large))
    assert.deepStrictEqual(walk("c", 1, 10), [true])
  })

  it("caches URLs that are requested again after the scan", () => {
    const { walk } = remember()
    walk("a", 1000, 10)
    const after = walk("b", 30, 10_000)
    assert.isAtMost(after.indexOf(true), 7)
    assert.isTrue(after.slice(7).every((isKept) => isKept))
  })

  it("counts bytes that are added to a cached entry, and none of an evicted one", () => {
    const { memory } = remember()
    const [entry, other] = [{ bytes: 10_000 }, { bytes: 10_000 }]
    memory.put("/a", entry)
    const { bytes } = memory
    assert.isTrue(memory.grow("/a", entry, 500))
    assert.deepStrictEqual([memory.bytes, entry.bytes], [bytes + 500, 10_500])
    assert.isFalse(memory.grow("/a", entry, 10 * 11_510))
    memory.put("/a", other)
    assert.isFalse(memory.grow("/a", entry, 500))
    assert.deepStrictEqual([memory.bytes, entry.bytes], [bytes, 10_500])
  })
})
