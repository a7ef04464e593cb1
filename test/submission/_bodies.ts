import { assert } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  type BodyName,
  bodyExamples,
  bodyReader,
  type Body,
  type InputFault,
  later,
  wireContext
} from "../../core/contract/mod.ts"
import { genesis } from "../use_cases/_network.ts"

/* Returns the violations of bodies given as text. */

const context = wireContext(genesis.network, keccak256)

/** A member's value as it is written in JSON. */
export type Raw = string | number | null | undefined | { readonly json: string }
export const json = (text: string): Raw => ({ json: text })
export type Members = { readonly [name: string]: Raw }

/** Returns the text of a body; an undefined member is left out. */
export const textOf = (members: Members): string =>
  `{${
    Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [`${JSON.stringify(name)}:${rawText(value)}`]
    ).join(",")
  }}`
const rawText = (value: Exclude<Raw, undefined>) =>
  typeof value === "object" && value !== null ? value.json : JSON.stringify(value)

const example = (name: BodyName, which: string): Members =>
  bodyExamples(later.bodies[name] as Body<unknown>, context)[which]! as Members
export const transfer = example("transaction", "toAccount")
export const toKey = example("transaction", "toKey")
export const authorization = example("authorization", "authorization")

const read = (name: BodyName, text: string) =>
  bodyReader(later.bodies[name] as Body<unknown>, context)(text)
export const readTransaction = bodyReader(later.bodies.transaction, context)
export const readAuthorization = bodyReader(later.bodies.authorization, context)

export const faultsOf = (name: BodyName, text: string): ReadonlyArray<InputFault> => {
  const result = read(name, text)
  assert(Result.isFailure(result), `${text.slice(0, 200)} is accepted`)
  return result.failure
}
/** Returns the pointers of the violations, in order. */
export const pointersOf = (name: BodyName, members: Members): ReadonlyArray<string> =>
  faultsOf(name, textOf(members)).map(({ parameter }) => parameter)
