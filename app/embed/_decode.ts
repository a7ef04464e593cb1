import { Result, Schema } from "effect"
import { decodeAll } from "../../core/contract/mod.ts"
import { badInput } from "./node_error.ts"

/** Returns a copy of an input. Throws a `NodeError` with all violations. */
export const read = <T, E>(schema: Schema.Codec<T, E>, input: unknown, title: string): T => {
  const decoded = decodeAll(schema, input, title)
  if (Result.isSuccess(decoded)) return decoded.success
  throw badInput(decoded.failure)
}

export const object = <const F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct(fields).annotate({ expected: `an object of ${Object.keys(fields).join(", ")}` })
