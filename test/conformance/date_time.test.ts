import { assert, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { formatDateTime } from "../../core/contract/scalars/_scalar.ts"

const times = Arbitrary.array(
  Arbitrary.schema(
    Schema.Int.check(
      Schema.isBetween({ minimum: -62_167_219_200_000, maximum: 253_402_300_799_999 })
    )
  ),
  { minLength: 1, maxLength: 20 }
)

it.prop(
  "a time is written as Date writes it, whatever was written before",
  { times },
  ({ times }) => {
    const write = formatDateTime()
    assert.deepStrictEqual(times.map(write), times.map((time) => new Date(time).toISOString()))
  },
  { arbitrary: { runs: 500 } }
)
