import { Result } from "effect"
import { localName, type Network } from "../domain/mod.ts"
import { percentDecode } from "./_query_string.ts"
import { type InputFault, invalidValue } from "./fault.ts"
import type { PathParameter } from "./operation.ts"
import { type Scalar, scalars } from "./scalar.ts"

/** Decodes the percent-encoded values of a path, in the order of the parameters. */
export const pathReader = (parameters: ReadonlyArray<PathParameter>, network: Network) => {
  const readers = parameters.map(({ name, scalar }) => ({
    name: localName(network, name),
    scalar: scalars[scalar] as Scalar<unknown>
  }))
  return (
    raw: ReadonlyArray<string>
  ): Result.Result<ReadonlyArray<unknown>, ReadonlyArray<InputFault>> => {
    const values: Array<unknown> = []
    const faults: Array<InputFault> = []
    for (const [i, { name, scalar }] of readers.entries()) {
      const text = percentDecode(raw[i]!)
      if (text === undefined) {
        faults.push(invalidValue("path", name, raw[i]!, "percent-encoded UTF-8"))
        continue
      }
      const value = scalar.parse(text, network)
      if (Result.isFailure(value)) faults.push(invalidValue("path", name, text, value.failure.rule))
      else values.push(value.success)
    }
    return faults.length > 0 ? Result.fail(faults) : Result.succeed(values)
  }
}
