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
export type ListParameters = ReturnType<typeof listParameters>

export interface Parameter {
  /** The filter; undefined if the parameter is one of the page. */
  readonly filter: string | undefined
  /** Returns the number of values in a text; undefined if the parameter has one value. */
  readonly count: ((text: string) => number) | undefined
  readonly decode: (text: string) => Result.Result<unknown, { readonly rule: string }>
}

/**
 * Returns the parameters of one list in one revision.
 *
 * @param revisions all served revisions: the error for a name of another revision says so
 */
export const listParameters = (
  list: AnyListName,
  revision: Revision,
  context: WireContext,
  revisions: ReadonlyArray<Revision>,
  listItemsMax: number
) => {
  const { requestRules } = revision
  const { atLeastOne = [], exclusions, isPaged = true } = declaration(list)
  const readerOf = (scalar: unknown): Pick<Parameter, "count" | "decode"> => {
    const { count, decode } = wireForm(scalar as Scalar<unknown>)
    return { count, decode: decode(context, requestRules.spelling) }
  }
  const parameters = new Map<string, Parameter>()
  /** The parameters of the filters that the revision offers. */
  const nameOf = new Map<string, string>()
  for (const { filter, parameter, scalar } of offeredFilters(revision, list)) {
    const name = context.name(parameter)
    nameOf.set(filter, name)
    parameters.set(name, { filter, ...readerOf(scalars[scalar]) })
  }
  for (const [name, scalar] of isPaged ? Object.entries(pageParameters) : []) {
    parameters.set(name, { filter: undefined, ...readerOf(scalar) })
  }
  const presets: { readonly [filter: string]: unknown } =
    (list === "currencies" ? undefined : revision.presets?.[list]) ?? {}
  const rules: RequestRules =
    (requestRules.closedLists as ReadonlyArray<AnyListName>).includes(list)
      ? { ...requestRules, unknownParameters: "refused" }
      : requestRules
  return {
    list,
    revision,
    revisions,
    listItemsMax,
    /** Returns a name as the network spells it. */
    local: context.name,
    rules,
    parameters,
    nameOf,
    /** Of each group, at least one parameter is required. */
    atLeastOne: (revision.unrestricted.includes(list) ? [] : atLeastOne).map((group) =>
      group.flatMap((filter) => nameOf.get(filter) ?? [])
    ),
    presets,
    /** Presets, each with the parameter of a filter that excludes it. */
    replacedPresets: exclusions.flatMap(([a, b]) =>
      [[a, b] as const, [b, a] as const].flatMap(([preset, other]) => {
        const parameter = nameOf.get(other)
        return Object.hasOwn(presets, preset) && parameter !== undefined
          ? [{ preset, parameter }]
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
