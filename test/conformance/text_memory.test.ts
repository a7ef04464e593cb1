import { assert, describe, it } from "@effect/vitest"
import { TextMemory } from "../../core/contract/text_memory.ts"

interface View {
  readonly row: { readonly n: number }
  readonly token: { readonly usd: number }
}

const writer = (memory: TextMemory, written: Array<number> = []) =>
  memory.keep<View>("View", (view) => [view.row, view.token], {
    before: ({ row, token }) => {
      written.push(row.n)
      return `${row.n}:${token.usd}`.padEnd(200, ".")
    }
  })

const views = (count: number): ReadonlyArray<View> =>
  Array.from({ length: count }, (_, n) => ({ row: { n }, token: { usd: 1 } }))

describe("texts that are kept", () => {
  it("are written once for the same values, and again when one of them is another", () => {
    const written: Array<number> = []
    const write = writer(new TextMemory(10_000), written)
    const [view] = views(1)
    assert.strictEqual(write(view!), write({ ...view! }))
    assert.deepStrictEqual(written, [0])
    assert.isTrue(write({ ...view!, token: { usd: 2 } }).startsWith("0:2"))
    assert.isTrue(write(view!).startsWith("0:1"))
    assert.deepStrictEqual(written, [0, 0, 0])
  })

  it("are written around what is apart, which is written anew each time and counts for nothing", () => {
    const written: Array<number> = []
    const pieces = {
      before: ({ row }: View) => {
        written.push(row.n)
        return `${row.n}:`.padEnd(100, ".")
      },
      apart: {
        write: ({ token }: View) => `<${token.usd}>`,
        after: ({ row }: View) => `:${row.n}`.padStart(100, ".")
      }
    }
    const memory = new TextMemory(10_000)
    const [kept, whole] = [memory, new TextMemory(0)].map((each) =>
      each.keep<View>("View", (view) => [view.row, undefined], pieces)
    )
    const [view] = views(1)
    for (const usd of [1, 2, 1]) {
      const text = kept!({ ...view!, token: { usd } })
      assert.strictEqual(text, `${"0:".padEnd(100, ".")}<${usd}>${":0".padStart(100, ".")}`)
      assert.deepStrictEqual([written.length, memory.characters], [1, 320])
      assert.strictEqual(whole!({ ...view!, token: { usd } }), text)
      written.pop()
    }
  })

  it("are those of some shapes alone where it is said so", () => {
    const [view] = views(1)
    for (const [shapes, times] of [[["View"], 1], [["Other"], 2], [[], 2]] as const) {
      const written: Array<number> = []
      const write = writer(new TextMemory(10_000, shapes), written)
      assert.strictEqual(write(view!), write(view!))
      assert.strictEqual(written.length, times)
    }
  })

  it("stay within one bound, however many writers there are and whichever of them rests", () => {
    const memory = new TextMemory(20_000)
    const shown = views(500)
    for (let i = 0; i < 40; i++) {
      const write = writer(memory)
      for (const view of shown) write(view)
      assert.isAtMost(memory.characters, 20_000 + 2 * 320)
    }
  })

  it("survive a generation in which they are asked for, and go after two in which they are not", () => {
    const written: Array<number> = []
    const memory = new TextMemory(2 * 10 * 320)
    const write = writer(memory, written)
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

  it("are counted with those of the generation before, which are other texts where one of their values is another", () => {
    const memory = new TextMemory(2 * 2 * 320)
    const write = writer(memory)
    const [first, ...others] = views(4)
    const counted = [first!, ...others].map((view) => (write(view), memory.characters))
    assert.deepStrictEqual(counted, [320, 640, 960, 1280])
    assert.isTrue(write({ ...first!, token: { usd: 7 } }).startsWith("0:7"))
    const none = new TextMemory(0)
    writer(none)(first!)
    assert.strictEqual(none.characters, 0)
  })
})
