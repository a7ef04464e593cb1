import { assert, describe, it } from "@effect/vitest"
import type { Constraint, Key } from "../../adapters/memory/filter_index/facets.ts"
import { splitThreshold } from "../../adapters/memory/_heavy.ts"
import { FilterIndex } from "../../adapters/memory/filter_index/filter_index.ts"
import { PositionSet } from "../../adapters/memory/filter_index/position_set.ts"
import { Table } from "../../adapters/memory/filter_index/table.ts"
import { colours, facets, randomRow, type Row } from "./_posting_rows.ts"
import { Random } from "./_random.ts"

const meets = (row: Row, { facet, ...asked }: Constraint): boolean => {
  if (asked.kind === "text") return row.name.includes(asked.needle)
  const keys: ReadonlyArray<Key | null> = [[row.one, row.other], [row.colour], [row.one % 3], [
    row.open
  ]][facet]!
  return keys.some((each) => each !== null && asked.keys.has(each))
}

const randomConstraints = (random: Random): ReadonlyArray<Constraint> => {
  const rival = random.chance(0.5)
  const keys = (values: ReadonlyArray<Key>) => new Set(values)
  const all: ReadonlyArray<Constraint> = [
    { kind: "key", facet: 0, keys: keys([random.below(6)]) },
    rival
      ? { kind: "key", facet: 2, keys: keys([random.below(3), random.below(3)]) }
      : { kind: "key", facet: 1, keys: keys([random.of(colours), random.of(colours), "none"]) },
    random.chance(0.5)
      ? { kind: "key", facet: 3, keys: keys([true]) }
      : {
        kind: "text",
        facet: 4,
        needle: random.of([
          "a",
          "b",
          "ab",
          "aba",
          "ababab",
          "aaaaaaaa",
          "🪙",
          "\ud83e",
          "\ude99",
          "cc",
          "zz",
          "ababababc"
        ])
      }
  ]
  return all.filter(() => random.chance(0.5))
}

describe("the index of a table", () => {
  for (const seed of [11, 12, 13, 14]) {
    it(`finds what looking at every row finds, while rows come, change and go (seed ${seed})`, () => {
      const random = new Random(seed)
      const table = new Table(facets)
      for (let round = 0; round < 30; round++) {
        for (let i = random.below(200); i > 0; i--) {
          if (random.chance(0.1)) table.itemIds.take()
          table.append(randomRow(table.itemIds.take(), random))
        }
        for (let i = random.below(60); i > 0 && table.length > 0; i--) {
          const position = random.below(table.length)
          table.replace(position, { ...table.rows[position]!, open: random.chance(0.5) })
        }
        if (random.chance(0.3)) table.truncate(random.below(table.length + 1))
        for (let i = 0; i < 40; i++) check(table, random)
      }
      table.truncate(0)
      assert.deepStrictEqual([0, 1, 2, 3].map((facet) => table.index.keyCount(facet)), [0, 0, 0, 0])
    })
  }

  it("looks at no more rows than a light list has, however many match or not", () => {
    const random = new Random(15)
    const rows: Array<Row> = []
    let looked = 0
    const tree = new FilterIndex(facets, (position) => {
      looked++
      return rows[position]!
    })
    for (let position = 0; position < 20_000; position++) {
      rows.push(randomRow(position, random))
      tree.append(rows[position]!, position)
    }
    for (let i = 0; i < 500; i++) {
      const constraints = randomConstraints(random)
      const lists = constraints.reduce(
        (product, each) => each.kind === "key" ? product * each.keys.size : product,
        1
      )
      looked = 0
      const selection = new PositionSet(tree.select(constraints, 0, rows.length))
      selection.rank(10_000)
      selection.descendingBelow(10_000, 20)
      assert.isAtMost(looked, splitThreshold * lists)
    }
  })

  it("lists a row once under a key that it has twice", () => {
    const table = new Table(facets)
    const both: Row = { itemId: 1, one: 4, other: 4, colour: "red", name: "", open: true }
    table.append(both)
    assert.deepStrictEqual(table.index.positions(0, 4), [0])
    table.truncate(0)
    assert.deepStrictEqual(table.index.positions(0, 4), [])
  })

  it("answers long after a heavy list became light again", () => {
    const table = new Table(facets)
    const row = (itemId: number): Row => ({
      itemId,
      one: 1,
      other: null,
      colour: itemId % 2 === 0 ? "red" : "blue",
      name: "same name",
      open: false
    })
    for (let id = 1; id <= 300; id++) table.append(row(id))
    table.truncate(3)
    for (let id = 301; id <= 303; id++) table.append(row(id))
    const asked: ReadonlyArray<Constraint> = [
      { kind: "key", facet: 0, keys: new Set([1]) },
      { kind: "key", facet: 1, keys: new Set(["blue"]) },
      { kind: "text", facet: 4, needle: "me nam" }
    ]
    assert.deepStrictEqual(
      new PositionSet(table.index.select(asked, 0, 6)).ascendingFrom(0, 9).map((at) =>
        table.rows[at]!.itemId
      ),
      [1, 3, 301, 303]
    )
  })
})

const check = (table: Table<Row>, random: Random): void => {
  const constraints = randomConstraints(random)
  const from = random.chance(0.5) ? 0 : random.below(table.length + 2)
  const to = random.chance(0.5) ? table.length : random.below(table.length + 1)
  const start = random.below(table.length + 2)
  const limit = 1 + random.below(40)
  const expected = table.rows.flatMap((row, at) =>
    at >= from && at < to && constraints.every((each) => meets(row, each)) ? [at] : []
  )
  const selection = new PositionSet(table.index.select(constraints, from, to))
  const actual = {
    count: selection.count,
    first: selection.first,
    last: selection.last,
    rank: selection.rank(start),
    ascending: selection.ascendingFrom(start, limit),
    descending: selection.descendingBelow(start, limit)
  }
  assert.deepStrictEqual(actual, {
    count: expected.length,
    first: expected[0] ?? Infinity,
    last: expected.at(-1) ?? -Infinity,
    rank: expected.filter((at) => at < start).length,
    ascending: expected.filter((at) => at >= start).slice(0, limit),
    descending: expected.filter((at) => at < start).reverse().slice(0, limit)
  })
}
