import { assert, describe, it } from "@effect/vitest"
import {
  bigIntegers,
  integer,
  integers,
  nullable,
  uint32,
  uint64
} from "../../adapters/sql/entities/column_types.ts"
import { createTable } from "../../adapters/sql/entities/create_table.ts"
import { flagged, optional, pairs, part, shape } from "../../adapters/sql/entities/shape.ts"

interface Origin {
  readonly block: bigint
  readonly queue: number | null
}

interface Row {
  readonly id: number
  readonly amount: bigint
  readonly parent: number | null
  readonly origin: Origin | null
  readonly limit?: number
}

const origin = shape<Origin>({
  block: ["origin_block", uint64],
  queue: ["origin_queue", nullable(uint32)]
})
const fields = {
  id: ["id", integer, "PRIMARY KEY"],
  amount: ["amount", uint64],
  parent: ["parent", nullable(integer)],
  origin: part("origin_block", origin),
  limit: optional("row_limit", uint32)
} as const
const row = shape<Row>(fields)

describe("a declaration of columns", () => {
  it("does not compile if it forgets or mistypes a field, or has another type or null", () => {
    const { amount, ...withoutAmount } = fields
    assert.isDefined(amount)
    // @ts-expect-error: `amount` is missing
    shape<Row>(withoutAmount)
    // @ts-expect-error: the row has no field `amonut`
    shape<Row>({ ...fields, amonut: ["amonut", uint64] })
    // @ts-expect-error: the amount is a bigint
    shape<Row>({ ...fields, amount: ["amount", integer] })
    // @ts-expect-error: the amount is never null
    shape<Row>({ ...fields, amount: ["amount", nullable(uint64)] })
    // @ts-expect-error: the parent may be null
    shape<Row>({ ...fields, parent: ["parent", integer] })
    // @ts-expect-error: the origin may be null
    shape<Row>({ ...fields, origin })
    // @ts-expect-error: an origin that is present is not the whole type
    shape<{ readonly origin: Origin }>({ origin: part("origin_block", origin) })
    // @ts-expect-error: the queue may be null
    shape<Origin>({ block: ["origin_block", uint64], queue: ["origin_queue", uint32] })
    // @ts-expect-error: the limit may be absent
    shape<Row>({ ...fields, limit: ["row_limit", uint32] })
    // @ts-expect-error: the parent is never absent
    shape<Row>({ ...fields, parent: optional(["parent", integer]) })
    // @ts-expect-error: `amounts` is no field
    row.parametersOf("id", "amounts")
  })

  it("creates the table, with a rule for the columns of an object that may be null", () => {
    const both = part(
      "a",
      shape<{ readonly a: number; readonly b: number }>({ a: ["a", integer], b: ["b", integer] })
    )
    assert.strictEqual(
      createTable("thing", row),
      `CREATE TABLE thing (
  id bigint PRIMARY KEY,
  amount numeric(20, 0) NOT NULL CHECK (amount BETWEEN 0 AND 18446744073709551615),
  parent bigint,
  origin_block numeric(20, 0) CHECK (origin_block BETWEEN 0 AND 18446744073709551615),
  origin_queue bigint CHECK (origin_queue BETWEEN 0 AND 4294967295),
  row_limit bigint CHECK (row_limit BETWEEN 0 AND 4294967295)
)`
    )
    assert.deepStrictEqual(both.rules, ["CHECK (num_nulls(a, b) IN (0, 2))"])
  })

  it("selects and decodes the columns in one order", () => {
    assert.deepStrictEqual(row.select("r").map(({ sql }) => sql), [
      "r.id",
      "r.amount",
      "r.parent",
      "r.origin_block",
      "r.origin_queue",
      "r.row_limit"
    ])
    const full = row.read([null, 7n, "18446744073709551615", 3n, "5", null, 9n], 1)
    assert.deepStrictEqual(full, {
      id: 7,
      amount: 18446744073709551615n,
      parent: 3,
      origin: { block: 5n, queue: null },
      limit: 9
    })
    assert.isTrue(Object.isFrozen(full) && Object.isFrozen(full.origin))
    const empty = row.read([7n, "0", null, null, null, null], 0)
    assert.deepStrictEqual(empty, { id: 7, amount: 0n, parent: null, origin: null })
    assert.isFalse("limit" in empty)
  })

  it("stores pairs as two lists, and an object whose fields may all be null with a flag", () => {
    const lists = shape<{
      readonly fees: ReadonlyArray<readonly [number, bigint]>
      readonly request: Pick<Origin, "queue"> | null
    }>({
      fees: pairs(["tokens", integers], ["amounts", bigIntegers]),
      request: flagged(
        "has_request",
        shape<Pick<Origin, "queue">>({ queue: ["queue", nullable(uint32)] })
      )
    })
    assert.deepStrictEqual(lists.read([[1n], ["2"], true, null], 0), {
      fees: [[1, 2n]],
      request: { queue: null }
    })
    assert.deepStrictEqual(lists.read([[], [], false, null], 0), { fees: [], request: null })
    assert.deepStrictEqual(lists.rules, [
      "CHECK (cardinality(tokens) = cardinality(amounts))",
      "CHECK (has_request OR num_nonnulls(queue) = 0)"
    ])
  })
})
