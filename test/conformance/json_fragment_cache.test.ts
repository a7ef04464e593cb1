import { assert, describe, it } from "@effect/vitest"
import { JsonFragmentCache } from "../../core/contract/wire_context.ts"

interface View {
  readonly row: { readonly n: number }
  readonly token: { readonly usd: number }
}

const writer = (cache: JsonFragmentCache, written: Array<number> = []) =>
  cache.cachedWriter<View>("View", (view) => [view.row, view.token], {
    before: ({ row, token }) => {
      written.push(row.n)
      return `${row.n}:${token.usd}`.padEnd(200, ".")
    }
  })

const views = (count: number): ReadonlyArray<View> =>
  Array.from({ length: count }, (_, n) => ({ row: { n }, token: { usd: 1 } }))

describe("cached JSON fragments", () => {
  it("are written once for the same values, and again if one of them differs", () => {
    const written: Array<number> = []
    const write = writer(new JsonFragmentCache(10_000), written)
    const [view] = views(1)
    assert.strictEqual(write(view!), write({ ...view! }))
    assert.deepStrictEqual(written, [0])
    assert.isTrue(write({ ...view!, token: { usd: 2 } }).startsWith("0:2"))
    assert.isTrue(write(view!).startsWith("0:1"))
    assert.deepStrictEqual(written, [0, 0, 0])
  })

  it("exclude the volatile property, which is written on each call and takes no room", () => {
    const written: Array<number> = []
    const segments = {
      before: ({ row }: View) => {
        written.push(row.n)
        return `${row.n}:`.padEnd(100, ".")
      },
      volatile: {
        write: ({ token }: View) => `<${token.usd}>`,
        after: ({ row }: View) => `:${row.n}`.padStart(100, ".")
      }
    }
    const cache = new JsonFragmentCache(10_000)
    const [cached, uncached] = [cache, new JsonFragmentCache(0)].map((each) =>
      each.cachedWriter<View>("View", (view) => [view.row, undefined], segments)
    )
    const [view] = views(1)
    for (const usd of [1, 2, 1]) {
      const text = cached!({ ...view!, token: { usd } })
      assert.strictEqual(text, `${"0:".padEnd(100, ".")}<${usd}>${":0".padStart(100, ".")}`)
      assert.deepStrictEqual([written.length, cache.characters], [1, 320])
      assert.strictEqual(uncached!({ ...view!, token: { usd } }), text)
      written.pop()
    }
  })

  it("are limited to the listed shapes, if there is a list", () => {
    const [view] = views(1)
    for (const [shapes, times] of [[["View"], 1], [["Other"], 2], [[], 2]] as const) {
      const written: Array<number> = []
      const write = writer(new JsonFragmentCache(10_000, shapes), written)
      assert.strictEqual(write(view!), write(view!))
      assert.strictEqual(written.length, times)
    }
  })

  it("stay within one bound, whatever the number of writers", () => {
    const cache = new JsonFragmentCache(20_000)
    const shown = views(500)
    for (let i = 0; i < 40; i++) {
      const write = writer(cache)
      for (const view of shown) write(view)
      assert.isAtMost(cache.characters, 20_000 + 2 * 320)
    }
  })

  it("survive a generation with a hit, and are dropped after two without one", () => {
    const written: Array<number> = []
    const cache = new JsonFragmentCache(2 * 10 * 320)
    const write = writer(cache, written)
    const [first, ...others] = views(60)
    for (const other of others) {
      write(first!)
      write(other)
    }
    assert.strictEqual(written.filter((n) => n === 0).length, 1)
    for (const other of others) write(other)
    write(first!)
    assert.strictEqual(written.filter((n) => n === 0).length, 2)
  })

  it("of both generations count, and a different value gives a different text", () => {
    const cache = new JsonFragmentCache(2 * 2 * 320)
    const write = writer(cache)
    const [first, ...others] = views(4)
    const counted = [first!, ...others].map((view) => (write(view), cache.characters))
    assert.deepStrictEqual(counted, [320, 640, 960, 1280])
    assert.isTrue(write({ ...first!, token: { usd: 7 } }).startsWith("0:7"))
    const none = new JsonFragmentCache(0)
    writer(none)(first!)
    assert.strictEqual(none.characters, 0)
  })
})
