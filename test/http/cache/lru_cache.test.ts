import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { LruCache } from "../../../adapters/http/cache/_lru_cache.ts"

interface Entry {
  readonly key: string
  bytes: number
}

const entry = (key: string, bytes = 10_000): Entry => ({ key, bytes })

/** Returns a cache for ten entries. */
const open = () => new LruCache<Entry>(100_000)

const put = (cache: ReturnType<typeof open>, prefix: string, count: number) => {
  for (let i = 0; i < count; i++) cache.put(entry(`/${prefix}${i}`))
}

describe("The LRU cache", () => {
  it("keeps the entries that were used last, within its bound", () => {
    const cache = open()
    put(cache, "a", 10)
    assert.isDefined(cache.get("/a0"))
    put(cache, "b", 9)
    assert.deepStrictEqual(["/a0", "/a1", "/a9", "/b0"].map((key) => cache.has(key)), [
      true,
      false,
      false,
      true
    ])
    for (let round = 0; round < 100; round++) {
      assert.isDefined(cache.get("/a0"))
      put(cache, `c${round}-`, 7)
      assert.isAtMost(cache.bytes, cache.bytesMax)
    }
    assert.deepStrictEqual([cache.size, cache.evictions], [10, 709])
  })

  it("replaces an entry, and counts the bytes of one that grows", () => {
    const cache = open()
    const [first, second] = [entry("/a"), entry("/a", 500)]
    cache.put(first)
    const { bytes } = cache
    assert.isTrue(cache.grow(first, 500))
    assert.deepStrictEqual([cache.bytes, first.bytes], [bytes + 500, 10_500])
    cache.put(second)
    assert.strictEqual(cache.get("/a"), second)
    assert.deepStrictEqual([cache.size, cache.bytes, cache.evictions], [1, bytes - 9500, 0])
    assert.isFalse(cache.grow(first, 500))
    assert.strictEqual(cache.bytes, bytes - 9500)
  })

  it("evicts others for an entry that grows, unless it would not fit alone", () => {
    const cache = open()
    const large = entry("/large")
    cache.put(large)
    put(cache, "a", 9)
    assert.isFalse(cache.grow(large, 100_000))
    assert.deepStrictEqual([cache.size, large.bytes], [10, 10_000])
    assert.isTrue(cache.grow(large, 15_000))
    assert.deepStrictEqual([cache.size, cache.has("/large"), cache.has("/a0")], [8, true, false])
    assert.isFalse(cache.accepts(100_001))
  })

  it("goes on after it was emptied", () => {
    const cache = open()
    put(cache, "a", 3)
    for (let round = 0; round < 5; round++) {
      cache.put(entry(`/whole${round}`, cache.bytesMax - 1600))
      assert.strictEqual(cache.size, 1)
    }
    put(cache, "b", 20)
    assert.strictEqual(cache.size, 10)
  })

  it("accepts nothing without bytes", () => {
    assert.isFalse(new LruCache<Entry>(0).accepts(1))
  })

  it("takes no memory for hits", async () => {
    const module = import.meta.resolve("../../../adapters/http/cache/_lru_cache.ts")
    const worker = new Worker(
      `import(${JSON.stringify(module)}).then(({ LruCache }) => {
        const cache = new LruCache(100)
        cache.put({ key: "/a", bytes: 10 })
        for (let hit = 0; hit < 1_000_000; hit++) cache.get("/a")
      })`,
      { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } }
    )
    // an error if the worker has no memory left
    assert.deepStrictEqual(await once(worker, "exit"), [0])
  })
})
