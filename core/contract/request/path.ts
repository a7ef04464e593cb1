import { Result } from "effect"
import { percentDecode } from "./query.ts"
import { invalidValue } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"
import type { PathParameter } from "../operation.ts"
import { type Scalar, scalars, type Spelling, wireForm } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"

/** Decodes the percent-encoded values of a path, in the order of the parameters. */
export const pathReader = (
  parameters: ReadonlyArray<PathParameter>,
  context: WireContext,
  spelling?: Spelling
) => {
  const readers = parameters.map(({ name, scalar }) => ({
    name: context.name(name),
    decode: wireForm(scalars[scalar] as Scalar<unknown>).decode(context, spelling)
  }))
  return (
    raw: ReadonlyArray<string>
  ): Result.Result<ReadonlyArray<unknown>, ReadonlyArray<InputFault>> => {
    const values: Array<unknown> = []
    const faults: Array<InputFault> = []
    for (const [i, { decode, name }] of readers.entries()) {
      const text = percentDecode(raw[i]!)
      if (text === undefined) {
        faults.push(invalidValue("path", name, raw[i]!, "percent-encoded UTF-8"))
        continue
      }
      const value = decode(text)
      if (Result.isFailure(value)) faults.push(invalidValue("path", name, text, value.failure.rule))
      else values.push(value.success)
    }
    return faults.length > 0 ? Result.fail(faults) : Result.succeed(values)
  }
}
