import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { BoundedEntries } from "../../../adapters/http/cache/mod.ts"

const entry = (key: string, bytes = 10_000) => ({ key, bytes })

/** Opens a cache for ten entries. */
const open = () => new BoundedEntries<ReturnType<typeof entry>>(100_000)

const put = (cache: ReturnType<typeof open>, prefix: string, count: number) => {
  for (let i = 0; i < count; i++) cache.put(entry(`/${prefix}${i}`))
}

describe("The entries of the response cache", () => {
  it("are kept while they are used, within a bound", () => {
    const cache = open()
    put(cache, "a", 10)
    assert.isDefined(cache.get("/a0"))
    put(cache, "b", 9)
    assert.deepStrictEqual(["/a0", "/a1", "/a9"].map((key) => cache.get(key) !== undefined), [
      true,
      false,
      false
    ])
    for (let round = 0; round < 100; round++) {
      assert.isDefined(cache.get("/a0"))
      put(cache, `c${round}-`, 7)
      assert.isAtMost(cache.bytes, cache.bytesMax)
    }
    assert.deepStrictEqual([cache.size, cache.evictions], [10, 709])
  })

  it("make room for a new one even if all were used", () => {
    const cache = open()
    for (const round of ["a", "b", "c"]) {
      put(cache, round, 10)
      for (let i = 0; i < 10; i++) cache.get(`/${round}${i}`)
      cache.put(entry(`/${round}`))
      assert.isDefined(cache.get(`/${round}`))
      assert.strictEqual(cache.size, 10)
    }
  })

  it("can be replaced, and count the bytes by which they grow", () => {
    const cache = open()
    const [first, second] = [entry("/a"), entry("/a", 500)]
    cache.put(first)
    assert.isTrue(cache.grow(first, 500))
    assert.deepStrictEqual([cache.bytes, first.bytes], [10_500, 10_500])
    cache.put(second)
    assert.strictEqual(cache.get("/a"), second)
    assert.deepStrictEqual([cache.size, cache.bytes, cache.evictions], [1, 500, 0])
    assert.isFalse(cache.grow(first, 500))
    assert.strictEqual(cache.bytes, 500)
  })

  it("are evicted for one that grows, unless it would not fit alone", () => {
    const cache = open()
    const large = entry("/large")
    cache.put(large)
    put(cache, "a", 9)
    assert.isFalse(cache.grow(large, 100_000))
    assert.deepStrictEqual([cache.size, large.bytes], [10, 10_000])
    assert.isTrue(cache.grow(large, 15_000))
    assert.deepStrictEqual([cache.size, cache.bytes], [8, 95_000])
    assert.strictEqual(cache.get("/large"), large)
    assert.isUndefined(cache.get("/a0"))
    assert.isTrue(cache.grow(large, 75_000))
    assert.deepStrictEqual([cache.size, cache.bytes], [1, 100_000])
  })

  it("are all evicted for one that needs the whole cache", () => {
    const cache = open()
    put(cache, "a", 3)
    cache.put(entry("/whole", 100_000))
    assert.deepStrictEqual([cache.size, cache.bytes], [1, 100_000])
    put(cache, "b", 20)
    assert.strictEqual(cache.size, 10)
  })

  it("leave nothing behind if they are used, replaced or evicted", async () => {
    const module = import.meta.resolve("../../../adapters/http/cache/mod.ts")
    const worker = new Worker(
      `import(${JSON.stringify(module)}).then(({ BoundedEntries }) => {
        const cache = new BoundedEntries(100)
        const put = (key, bytes) => cache.put({ key, bytes })
        for (let i = 0; i < 1_000_000; i++) {
          put("/a", 10)
          cache.get("/a")
        }
        for (let i = 0; i < 200_000; i++) put("/" + i, 50)
      })`,
      { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64 } }
    )
    // an error if the worker has no memory left
    assert.deepStrictEqual(await once(worker, "exit"), [0])
  })
})
