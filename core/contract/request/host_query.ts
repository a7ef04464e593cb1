import { type ListDeclaration, type ListName, type ListQuery, lists } from "../lists/mod.ts"
import { scalars } from "../scalars/mod.ts"
import { Record, Result, Schema } from "effect"
import { brokenRule, nearestName } from "../fault.ts"
import { BadInput, type InputFault } from "../input_fault.ts"
import type { ItemKeys, ItemName } from "../items.ts"
import { pageParameters } from "./list_parameters.ts"
import { combinationFaults } from "./query.ts"
import { decodeAll, optional, shownValue } from "./violations.ts"

/*
 * Checks queries and keys of hosts that embed the node. The values have the rules of a URL. Unknown
 * names are refused: to ignore a filter would return wrong data.
 */

const page = {
  fromItem: optional(pageParameters.fromItem),
  order: optional(pageParameters.order),
  limit: optional(pageParameters.limit)
}
const querySchemas = Record.map(
  lists as { readonly [N in ListName]: ListDeclaration },
  ({ filters }) =>
    Schema.Struct({
      filters: optional(
        Schema.Struct(Record.map(filters, ({ scalar }) =>
          optional<unknown>(scalars[scalar] as Schema.Codec<unknown>)))
      ),
      ...page
    })
)
const keySchemas: { readonly [N in ItemName]: Schema.Codec<ItemKeys[N]> } = {
  account: scalars.accountIndex,
  exit: Schema.Struct({ batchNum: scalars.batchNum, accountIndex: scalars.accountIndex }),
  transaction: scalars.transactionId,
  batch: scalars.batchNum,
  fullBatch: scalars.batchNum,
  slot: scalars.slotNum,
  token: scalars.tokenId,
  coordinator: scalars.ethereumAddress
}

/**
 * Returns a copy of the query of a list, or fails with every rule that it breaks. It has the rules
 * of a URL: bounds of the values, filters that exclude each other, no unknown names.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checkListQuery } from "rollup-node-api"
 *
 * const query = checkListQuery("tokens", { filters: { ids: [0] }, limit: 5 })
 * console.log(Result.getOrThrow(query)) // => { filters: { ids: [ 0 ] }, limit: 5 }
 * const refused = checkListQuery("tokens", { filters: {}, limit: 5000 })
 * if (Result.isFailure(refused)) console.log(refused.failure.faults[0].rule)
 * // => an integer from 1 to 2049
 * ```
 */
export const checkListQuery = <N extends ListName>(
  list: N,
  query: ListQuery<N>
): Result.Result<ListQuery<N>, BadInput> => {
  if (!Object.hasOwn(lists, list)) return refused([unknownKind("list", list, lists)])
  const checked = decode(querySchemas[list], query, "query")
  const given = Object(Object(query).filters) as { readonly [filter: string]: unknown }
  // a schema would check the rules between filters only if each value alone is right
  const combined = combinationFaults(list, "Filter", given, (name) =>
    given[name] === undefined
      ? undefined
      : { name, parameter: `filters.${name}`, text: shownValue(given[name]) })
  if (Result.isFailure(checked)) return refused([...checked.failure, ...combined])
  if (combined.length > 0) return refused(combined)
  const { filters = {}, ...others } = checked.success
  return Result.succeed({ filters, ...others } as ListQuery<N>)
}

/**
 * Returns a copy of the key of an item, or fails with every rule that it breaks.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { checkItemKey } from "rollup-node-api"
 *
 * const key = checkItemKey("exit", { batchNum: 7, accountIndex: 256 })
 * console.log(Result.getOrThrow(key)) // => { batchNum: 7, accountIndex: 256 }
 * console.log(Result.isFailure(checkItemKey("token", 2 ** 32))) // => true
 * ```
 */
export const checkItemKey = <N extends ItemName>(
  item: N,
  key: ItemKeys[N]
): Result.Result<ItemKeys[N], BadInput> =>
  Object.hasOwn(keySchemas, item)
    ? Result.orElse(decode(keySchemas[item], key, item), refused)
    : refused([unknownKind("item", item, keySchemas)])

const refused = (faults: ReadonlyArray<InputFault>): Result.Result<never, BadInput> =>
  Result.fail(new BadInput({ faults: faults as readonly [InputFault, ...Array<InputFault>] }))

/** @param title names the whole input */
const decode = <T>(
  schema: Schema.Codec<T>,
  input: unknown,
  title: string
): Result.Result<T, ReadonlyArray<InputFault>> =>
  Result.mapError(
    decodeAll(schema, input, title, (keys) => keys.map(String).join(".")),
    (violations) =>
      violations.map(({ message, path, rule, value }) =>
        brokenRule(path === "" ? title : path, value, rule, message)
      )
  )

const unknownKind = (parameter: string, name: string, known: object): InputFault => {
  const names = Object.keys(known)
  const [value, rule] = [shownValue(name), `one of ${names.join(", ")}`]
  const message = `${parameter} has the invalid value ${value}: expected ${rule}`
  const fault = brokenRule(parameter, value, rule, message)
  const nearest = nearestName(String(name), names)
  return nearest === undefined
    ? fault
    : { ...fault, message: `${message}; did you mean ${nearest}?`, nearest }
}
