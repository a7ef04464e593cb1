import { assert, describe, it } from "@effect/vitest"
import type { Constraint, KeyValue } from "../../adapters/memory/filter_index/index_keys.ts"
import { splitThreshold } from "../../adapters/memory/filter_index/index_keys.ts"
import { FilterIndex } from "../../adapters/memory/filter_index/filter_index.ts"
import { Table } from "../../adapters/memory/filter_index/table.ts"
import { colours, indexKeyOf, indexKeys, randomRow, type Row } from "./_indexed_rows.ts"
import { Random } from "./_random.ts"

const { colour, oneAndOther, oneOnly, open, otherOnly, remainder } = indexKeyOf
/** The index keys that list a row under `one`, under `other`, and under either of them. */
const listsOf = {
  one: [oneOnly, oneAndOther],
  other: [otherOnly, oneAndOther],
  either: [oneOnly, otherOnly, oneAndOther]
}

const meets = (row: Row, { indexKeys: [first, second], values: allowed }: Constraint): boolean => {
  const values: ReadonlyArray<KeyValue | null> = first === colour
    ? [row.colour]
    : first === remainder
    ? [row.one % 3]
    : first === open
    ? [row.open]
    : second === otherOnly
    ? [row.one, row.other]
    : [first === oneOnly ? row.one : row.other]
  return values.some((each) => each !== null && allowed.has(each))
}

const valueConstraint = (
  indexKeys: ReadonlyArray<number>,
  ...values: ReadonlyArray<KeyValue>
): Constraint => ({
  indexKeys,
  values: new Set(values)
})

const randomConstraints = (random: Random): ReadonlyArray<Constraint> => {
  const sides = random.chance(0.5)
    ? [valueConstraint(listsOf.either, random.below(6))]
    : [
      valueConstraint(listsOf.one, random.below(6)),
      valueConstraint(listsOf.other, random.below(6))
    ]
  const all: ReadonlyArray<Constraint> = [
    ...sides,
    random.chance(0.5)
      ? valueConstraint([remainder], random.below(3), random.below(3))
      : valueConstraint([colour], random.of(colours), random.of(colours), "none"),
    valueConstraint([open], true)
  ]
  return all.filter(() => random.chance(0.5))
}

describe("the filter index of a table", () => {
  for (const seed of [11, 12, 13, 14]) {
    it(`finds the same rows as a scan, while rows are added, replaced and removed (seed ${seed})`, () => {
      const random = new Random(seed)
      const table = new Table(indexKeys)
      let nextItemId = 1
      for (let round = 0; round < 30; round++) {
        for (let i = random.below(200); i > 0; i--) {
          if (random.chance(0.1)) nextItemId++
          table.append(randomRow(nextItemId++, random))
        }
        for (let i = random.below(60); i > 0 && table.length > 0; i--) {
          const position = random.below(table.length)
          table.replace(position, { ...table.rows[position]!, open: random.chance(0.5) })
        }
        if (random.chance(0.3)) table.truncate(random.below(table.length + 1))
        for (let i = 0; i < 40; i++) check(table, random)
      }
      table.truncate(0)
      assert.deepStrictEqual(
        [...listsOf.either, colour, remainder, open].map((each) => [...table.index.valuesOf(each)]),
        [[], [], [], [], [], []]
      )
    })
  }

  it("reads at most the rows of an unsplit list for each list, however many rows match", () => {
    const random = new Random(15)
    const rows: Array<Row> = []
    let rowsRead = 0
    const index = new FilterIndex(indexKeys, (position) => {
      rowsRead++
      return rows[position]!
    })
    for (let position = 0; position < 20_000; position++) {
      rows.push(randomRow(position, random))
      index.append(rows[position]!, position)
    }
    for (let i = 0; i < 500; i++) {
      const constraints = randomConstraints(random)
      const lists = constraints.reduce(
        (product, each) => product * each.values.size * each.indexKeys.length,
        1
      )
      rowsRead = 0
      const positions = index.select(constraints, 0, rows.length)
      positions.rank(10_000)
      positions.descendingBelow(10_000, 20)
      assert.isAtMost(rowsRead, splitThreshold * lists)
    }
  })

  it("finds the rows with the same key on both sides as one list, without a pass over it", () => {
    const table = new Table(indexKeys)
    for (let id = 1; id <= 300; id++) {
      const other = id % 3 === 0 ? 5 : 4
      table.append({ itemId: id, one: 4, other, colour: "red", open: true })
    }
    const { count, ranges } = table.index.select(
      [valueConstraint(listsOf.one, 4), valueConstraint(listsOf.other, 4)],
      0,
      table.length
    )
    assert.strictEqual(count, 200)
    assert.lengthOf(ranges, 1)
    assert.strictEqual(ranges[0]!.positions, table.index.positionsOf(oneAndOther, 4))
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
  const positions = table.index.select(constraints, from, to)
  const actual = {
    count: positions.count,
    first: positions.first,
    last: positions.last,
    rank: positions.rank(start),
    ascending: positions.ascendingFrom(start, limit),
    descending: positions.descendingBelow(start, limit)
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
