import type { Result } from "effect"
import { values } from "../../domain/mod.ts"
import { brokenRule, hintOf } from "../fault.ts"
import type { InputFault } from "../input_fault.ts"
import { fromItemMax, limitDefault, limitMax } from "../lists/mod.ts"
import type { RequestRules } from "../request_rules.ts"
import {
  type AnyListName,
  declaration,
  offeredFilters,
  parameterName,
  type Revision
} from "../revision.ts"
import { integer, oneOf, type Scalar, scalars, wireForm } from "../scalars/mod.ts"
import type { WireContext } from "../wire_context.ts"

/** The three parameters of every list. */
export const pageParameters = {
  fromItem: integer(values.integer(0, fromItemMax), {
    description:
      "First itemId of the page, inclusive; an item with this itemId need not exist. By default the page starts at the first item of the order",
    example: 0
  }),
  order: oneOf(["ASC", "DESC"], {
    description: "ASC from the smallest itemId, DESC from the greatest",
    default: "ASC"
  }),
  limit: integer(values.integer(1, limitMax), {
    description: "Maximum number of items in the page",
    example: limitDefault,
    default: limitDefault
  })
}

/** The parameters of one list in one revision, and the rules between them. */
export interface ListParameters {
  readonly list: AnyListName
  readonly revision: Revision
  /** All served revisions: the error for a name of another revision says so. */
  readonly revisions: ReadonlyArray<Revision>
  readonly listItemsMax: number
  /** Returns a name as the network spells it. */
  readonly local: (name: string) => string
  readonly rules: RequestRules
  readonly parameters: ReadonlyMap<string, Parameter>
  /** The parameters of the filters that the revision offers. */
  readonly nameOf: ReadonlyMap<string, string>
  /** Of each group, at least one parameter is required. */
  readonly atLeastOne: ReadonlyArray<ReadonlyArray<string>>
  readonly presets: { readonly [filter: string]: unknown }
  /** Presets, each with the parameter of a filter that excludes it. */
  readonly replacedPresets: ReadonlyArray<{ readonly preset: string; readonly parameter: string }>
}

export interface Parameter {
  /** The filter; undefined if the parameter is one of the page. */
  readonly filter: string | undefined
  /** Returns the number of values in a text; undefined if the parameter has one value. */
  readonly count: ((text: string) => number) | undefined
  readonly decode: (text: string) => Result.Result<unknown, { readonly rule: string }>
}

interface ListPresets {
  readonly [list: string]: { readonly [filter: string]: unknown }
}

/** Returns the parameters of one list in one revision. */
export const listParameters = (
  list: AnyListName,
  revision: Revision,
  context: WireContext,
  revisions: ReadonlyArray<Revision>,
  listItemsMax: number
): ListParameters => {
  const { requestRules } = revision
  const { atLeastOne, exclusions, isPaged = true } = declaration(list)
  const parameterOf = (scalar: Scalar<unknown>, filter: string | undefined): Parameter => {
    const { count, decode } = wireForm(scalar)
    return {
      filter,
      count: filter === undefined ? undefined : count,
      decode: decode(context, requestRules.spelling)
    }
  }
  const offered = offeredFilters(revision, list)
  const nameOf = new Map(
    offered.map(({ filter, parameter }) => [filter as string, context.name(parameter)])
  )
  const presets: { readonly [filter: string]: unknown } =
    (revision.presets as ListPresets | undefined)?.[list] ?? {}
  return {
    list,
    revision,
    revisions,
    listItemsMax,
    local: context.name,
    rules: (requestRules.closedLists as ReadonlyArray<AnyListName>).includes(list)
      ? { ...requestRules, unknownParameters: "refused" }
      : requestRules,
    parameters: new Map([
      ...offered.map(({ filter, scalar }): [string, Parameter] => [
        nameOf.get(filter)!,
        parameterOf(scalars[scalar] as Scalar<unknown>, filter)
      ]),
      ...Object.entries(isPaged ? pageParameters : {}).map((
        [name, scalar]
      ): [string, Parameter] => [
        name,
        parameterOf(scalar as Scalar<unknown>, undefined)
      ])
    ]),
    nameOf,
    atLeastOne: (revision.unrestricted.includes(list) ? [] : atLeastOne).map((group) =>
      group.flatMap((filter) => nameOf.get(filter) ?? [])
    ),
    presets,
    replacedPresets: exclusions.flatMap(([a, b]) =>
      [[a, b], [b, a]].flatMap(([preset, other]) => {
        const parameter = nameOf.get(other!)
        return Object.hasOwn(presets, preset!) && parameter !== undefined
          ? [{ preset: preset!, parameter }]
          : []
      })
    )
  }
}

/**
 * Returns the fault of an unknown parameter, with a hint: which revision knows the name, or the most
 * similar known name.
 */
export const unknownParameter = (
  { list, local, parameters, revision, revisions }: ListParameters,
  name: string,
  value: string
): InputFault => {
  const fault = (shown: string, hint: string, nearest: string | undefined): InputFault => ({
    ...brokenRule(
      name,
      value,
      "a known parameter",
      `Unknown parameter ${JSON.stringify(shown)}: ${hint}`
    ),
    ...nearest === undefined ? {} : { nearest }
  })
  for (const other of revisions) {
    const offered = offeredFilters(other, list).find(({ parameter }) => local(parameter) === name)
    if (offered === undefined) continue
    const parameter = parameterName(revision, list, offered.filter)
    const here = parameter === undefined ? undefined : local(parameter)
    const hint = here === undefined
      ? `only revision "${other.name}" supports it`
      : `it belongs to revision "${other.name}"; in revision "${revision.name}" its name is ${here}`
    return fault(name, hint, here)
  }
  const { hint, nearest } = hintOf(name, [...parameters.keys()])
  return fault(name.slice(0, 100), hint, nearest)
}
