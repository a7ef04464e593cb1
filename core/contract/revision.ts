import { Schema } from "effect"
import type { Bodies } from "./bodies/mod.ts"
import type { InputFault } from "./input_fault.ts"
import type { PageView, Shapes } from "./items.ts"
import {
  currencyList,
  type FilterValues,
  type ListDeclaration,
  type ListName,
  lists,
  poolList
} from "./lists/mod.ts"
import {
  type AnyWriteOperationId,
  type ExtraOperationId,
  extraOperations,
  type ExtraWriteOperationId,
  extraWriteOperations,
  type Operation,
  operations,
  type ReadOperationId,
  type WriteOperation,
  writeOperations
} from "./operation.ts"
import type { PublishedError } from "./published_errors.ts"
import type { RequestRules } from "./request_rules.ts"
import { documented, object, type Shape } from "./objects/mod.ts"
import { count, type ScalarName } from "./scalars/mod.ts"

/**
 * One revision of the contract: its differences from the declarations. Use cases and stores do not
 * depend on it.
 */
export interface Revision {
  readonly name: string
  /** The path at which a server mounts it, unless set otherwise; `/` for the default revision. */
  readonly path: string
  readonly doc: string
  /** How the revision reads paths, queries and bodies. */
  readonly requestRules: RequestRules
  /** Returns the name of a filter, or null if the revision does not have it. */
  readonly parameters: {
    readonly [N in ListName | "pool"]?: { readonly [F in keyof FiltersIn<N>]?: string | null }
  }
  /**
   * Values of filters that every query of a list has in this revision, unless it has a filter that
   * excludes them; none by default.
   */
  readonly presets?: { readonly [N in ListName | "pool"]?: FiltersIn<N> }
  /** Lists without their at-least-one rule in this revision. */
  readonly unrestricted: ReadonlyArray<AnyListName>
  /** The counts next to the items of every page. */
  readonly counts: {
    readonly fields: Schema.Struct.Fields
    readonly view: (page: Pick<PageView, "counts">) => object
  }
  readonly shapes: Shapes
  readonly bodies: Bodies
  /** The operations of this revision besides those of all revisions; none by default. */
  readonly extras?: ReadonlyArray<ExtraOperationId | ExtraWriteOperationId>
  /** An unregistered value of a filter matches nothing; by default the answer is 404. */
  readonly unregistered?: "matches nothing"
  /**
   * The symbol in an account index must be that of the account's token, otherwise the answer is
   * 404 for paths and filters and 400 for bodies. In this mode it is 400 for the path of an account,
   * and any symbol is accepted elsewhere.
   */
  readonly symbols?: "refused in account paths"
  /** Whether `state` has the part `node`, for which the pool is read too. */
  readonly showsNode?: boolean
  /**
   * Whether a posted transfer to an account may also name the Ethereum address that owns the account;
   * refused by default.
   */
  readonly acceptsOwnerAddress?: boolean
  /** The status if other content is stored under a posted identifier; 400 by default. */
  readonly conflictStatus?: 409
  /** The answer to an authorization: `{"success":"OK"}`, or an empty body by default. */
  readonly authorizationAnswer?: "success"
  /** Returns the error code of a problem in this revision; none by default. */
  readonly error?: (
    problem: string,
    refused: ReadonlyArray<InputFault> | undefined
  ) => PublishedError | undefined
  /** All values of `type` that `error` returns. */
  readonly errorTypes?: ReadonlyArray<string>
}

/** A filter of a list in one revision. */
export interface OfferedFilter {
  readonly filter: string
  readonly parameter: string
  readonly scalar: ScalarName
  readonly doc: string
}

/**
 * Returns the name of a filter in a revision, spelled for the default network; undefined if it does
 * not exist.
 */
export const parameterName = (
  revision: Revision,
  list: AnyListName,
  filter: string
): string | undefined => {
  const renamed = (revision.parameters as {
    readonly [list: string]: { readonly [filter: string]: string | null }
  })[list]?.[filter]
  return renamed === null ? undefined : renamed ?? declaration(list).filters[filter]?.parameter
}

/** Returns the filters of a list in a revision, in declaration order. */
export const offeredFilters = (
  revision: Revision,
  list: AnyListName
): ReadonlyArray<OfferedFilter> =>
  Object.entries(declaration(list).filters).flatMap(([filter, { scalar, doc }]) => {
    const parameter = parameterName(revision, list, filter)
    return parameter === undefined ? [] : [{ filter, parameter, scalar, doc }]
  })

const declarations = { ...lists, pool: poolList, currencies: currencyList }

/** A list of the ledger, the list of the pool, or the list of currencies. */
export type AnyListName = keyof typeof declarations
type FiltersIn<N extends AnyListName> = FilterValues<typeof declarations[N]>

/** A declaration without the names of its filters, for code that treats all lists alike. */
export const declaration = (list: AnyListName): ListDeclaration => declarations[list]

/** Returns the read operations of a revision, by identifier. */
export const readOperationsOf = (
  revision: Revision
): ReadonlyArray<readonly [ReadOperationId, Operation]> => [
  ...entries<ReadOperationId, Operation>(operations),
  ...entries<ReadOperationId, Operation>(extraOperations).filter(isOffered(revision))
]

/** Returns the write operations of a revision, by identifier. */
export const writeOperationsOf = (
  revision: Revision
): ReadonlyArray<readonly [AnyWriteOperationId, WriteOperation]> => [
  ...entries<AnyWriteOperationId, WriteOperation>(writeOperations),
  ...entries<AnyWriteOperationId, WriteOperation>(extraWriteOperations).filter(isOffered(revision))
]

const entries = <Id extends string, O>(record: { readonly [I in Id]?: O }) =>
  Object.entries(record) as Array<[Id, O]>

const isOffered = ({ extras = [] }: Revision) => ([id]: readonly [string, unknown]): boolean =>
  (extras as ReadonlyArray<string>).includes(id)

/** The property of a page that says how many items follow. */
export const pendingItems: Revision["counts"] = {
  fields: { pendingItems: documented(count, "Items that match and come after this page") },
  view: ({ counts }) => counts
}

/** Returns the type of the answer of an operation in a revision. */
export const answerShape = (operation: Operation, revision: Revision): Shape<never> => {
  const item = itemShape(operation, revision)
  const items = (all: ReadonlyArray<never>) => all.map((one) => item.view(one))
  if (operation.kind === "group") {
    const schema = Schema.Array(item.schema).annotate({
      identifier: "AtomicGroup",
      description: "The transactions of an atomic group, in their order"
    })
    return { schema, view: items }
  }
  if (!("list" in operation)) return item
  const { isPaged = true, itemsProperty, title } = declaration(operation.list)
  const { counts } = revision
  return {
    schema: object(title, `${isPaged ? "Page" : "List"} of ${itemsProperty}`, {
      [itemsProperty]: Schema.Array(item.schema),
      ...isPaged ? counts.fields : {}
    }) as Schema.Constraint as Schema.Codec<unknown>,
    view: (page: PageView) => ({
      ...isPaged ? counts.view(page) : {},
      [itemsProperty]: items(page.items)
    })
  }
}

/** Returns the shape of the objects in the answers of an operation. */
const itemShape = ({ shape }: Operation, revision: Revision): Shape<never> =>
  typeof shape === "string" ? revision.shapes[shape] : shape
