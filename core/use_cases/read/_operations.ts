import { Effect, Result } from "effect"
import {
  type AnyListName,
  answerShape,
  currencyList,
  type FiltersOf,
  itemIds,
  type ListItems,
  type ListName,
  noQuery,
  type Operation,
  pathReader,
  type QueryOf,
  queryReader,
  type Revision,
  rowFilter,
  type Shape,
  type WireContext,
  writerOf
} from "../../contract/mod.ts"
import { isHealthy } from "../../domain/mod.ts"
import type { EthereumAddress, TransactionId } from "../../encoding/mod.ts"
import type {
  CurrencyPrices,
  FoundItem,
  LedgerReader,
  SnapshotId,
  NotRegistered,
  Page,
  StoreFailure
} from "../../ports/mod.ts"
import { findGroup, findPooled, listPool, type PoolPorts } from "../pool/mod.ts"
import { dependenciesOf } from "./dependencies.ts"
import { readHealth } from "./health.ts"
import type { Answer, PageEnds, ReadOperation, ReadOptions } from "./answer.ts"
import { badInput, failNotFound, type ReadFailure } from "./read_failures.ts"
import { failForWrongSymbol, wrongPathSymbol } from "./_symbols.ts"

export interface Stores extends PoolPorts {
  readonly currencies: CurrencyPrices
}

/** An operation of a revision, and what its answers are made from. */
interface Bound<O extends Operation = Operation> {
  readonly operation: O
  readonly revision: Revision
  readonly context: WireContext
  readonly options: ReadOptions
  readonly stores: Stores
  /** Returns the JSON of an answer. */
  readonly write: (view: unknown) => string
}

type OfKind<K extends Operation["kind"]> = Extract<Operation, { readonly kind: K }>

/** Returns an operation of a revision, bound to the stores. */
export const bindOperation = (
  operation: Operation,
  revision: Revision,
  options: ReadOptions,
  stores: Stores
): ReadOperation => {
  const { context } = options
  const write = writerOf(answerShape(operation, revision) as Shape<unknown>, context)
  const bind = binders[operation.kind] as (of: Bound) => ReadOperation
  return bind({ operation, revision, context, options, stores, write })
}

const bindList = (of: Bound<OfKind<"list">>): ReadOperation => {
  const { context, operation: { list }, revision, stores: { reader }, write } = of
  const pages = revision.unregistered === undefined ? reader.list : pagesOfRegistered(reader)
  const checkSymbol = failForWrongSymbol(list, revision, context, reader)
  return listAnswer(of, list, (query, text) => {
    const { accountIndex, includePending } = query.filters as FiltersOf<"transactions">
    const dependsOn = includePending === true
      ? dependenciesOf.withQueued
      : dependenciesOf.lists[list]
    const answer = (page: Page<ListItems[ListName]>): Answer => ({
      json: write(page),
      snapshotId: page.snapshotId,
      dependsOn,
      page: endsOf(list, page.items)
    })
    return accountIndex === undefined
      ? Effect.mapEager(pages(list, query), answer)
      : Effect.flatMap(
        pages(list, query),
        (page) => Effect.map(checkSymbol(text, accountIndex, page), () => answer(page))
      )
  })
}

/** Returns the item ids of the first and the last item, or null. */
const endsOf = <N extends ListName>(
  list: N,
  items: ReadonlyArray<ListItems[N]>
): PageEnds | null => {
  const itemId = itemIds[list]
  return items.length === 0
    ? null
    : { firstItem: itemId(items[0]!), lastItem: itemId(items.at(-1)!) }
}

const bindItem = (of: Bound<OfKind<"item">>): ReadOperation => {
  const { context, operation, options: { constants }, revision, stores: { reader }, write } = of
  const { item: name, key } = operation
  return singleAnswer(of, (values, path) =>
    Effect.flatMap(
      reader.find(name, key(values as ReadonlyArray<never>)),
      ({ item, snapshotId }: FoundItem<unknown>): Effect.Effect<Answer, ReadFailure> => {
        if (item === null) return failNotFound(operation, context, path, snapshotId)
        const wrong = wrongPathSymbol(operation, revision, context, { item, snapshotId }, path)
        if (wrong !== undefined) return Effect.fail(wrong)
        const dependsOn = dependenciesOf.items[name](item as never, snapshotId, constants)
        return Effect.succeed({ json: write(item), snapshotId, dependsOn })
      }
    ))
}

const bindState = (of: Bound<OfKind<"state">>): ReadOperation => {
  const { options: { forgeDelaySeconds = 0 }, revision, stores: { pool, reader }, write } = of
  return singleAnswer(of, () =>
    Effect.gen(function*() {
      const node = revision.showsNode === true
        ? { forgeDelaySeconds, poolLoad: (yield* pool.counts).pend }
        : null
      const { snapshotId, state } = yield* reader.state
      const json = write({ ...state, node })
      return node === null
        ? { json, snapshotId, dependsOn: dependenciesOf.state }
        : { json, snapshotId }
    }))
}

const bindConfig =
  ({ options: { constants }, stores: { reader }, write }: Bound): ReadOperation => () =>
    Effect.map(reader.state, ({ snapshotId, state: { variables } }) => {
      const { verifiers } = variables.rollup
      const rollup = { ...constants.rollup, verifiers }
      return { json: write({ ...constants, rollup }), snapshotId, dependsOn: dependenciesOf.config }
    })

const bindPoolList = (of: Bound<OfKind<"poolList">>): ReadOperation =>
  listAnswer(of, "pool", (query) =>
    listPool(of.stores, query).pipe(
      Effect.map((page) => ({ json: of.write(page), snapshotId: page.snapshotId })),
      Effect.mapError((failure) =>
        failure._tag === "BadInput"
          ? badInput(failure.faults.map((fault) => ({
            ...fault,
            parameter: of.context.name(fault.parameter)
          })))
          : failure
      )
    ))

/** What an answer that may change without the ledger is made from. */
interface Found {
  readonly view: unknown
  readonly snapshotId?: SnapshotId
}

/**
 * Binds an operation whose answer may change without the ledger.
 *
 * @param find returns null if there is no such thing
 */
const bindFound = (
  find: (
    stores: Stores,
    value: unknown
  ) => Effect.Effect<Found | null, StoreFailure>
) =>
(of: Bound<OfKind<"authorization" | "currency" | "group" | "poolTransaction">>): ReadOperation =>
  singleAnswer(of, ([value], path) =>
    Effect.flatMap(
      find(of.stores, value),
      (found): Effect.Effect<Answer, ReadFailure> =>
        found === null
          ? failNotFound(of.operation, of.context, path)
          : Effect.succeed({
            json: of.write(found.view),
            ...found.snapshotId === undefined ? {} : { snapshotId: found.snapshotId }
          })
    ))

const binders: { readonly [K in Operation["kind"]]: (of: Bound<OfKind<K>>) => ReadOperation } = {
  list: bindList,
  item: bindItem,
  state: bindState,
  config: bindConfig,
  poolList: bindPoolList,
  authorization: bindFound(Effect.fnUntraced(function*({ pool, reader }, address) {
    const view = yield* pool.authorization(address as EthereumAddress)
    return view === null ? null : { view, snapshotId: yield* reader.snapshotId }
  })),
  poolTransaction: bindFound((stores, id) => findPooled(stores, id as TransactionId)),
  group: bindFound((stores, id) =>
    Effect.map(
      findGroup(stores, id as string),
      ({ items, snapshotId }) => items.length === 0 ? null : { view: items, snapshotId }
    )
  ),
  currencyList: (of) =>
    listAnswer(of, "currencies", (query) =>
      Effect.map(of.stores.currencies.current, (prices) => {
        const items = prices.filter(rowFilter(currencyList, query.filters))
          .sort((a, b) => a.currency < b.currency ? -1 : 1)
        return { json: of.write({ items }) }
      })),
  currency: bindFound(({ currencies }, code) =>
    Effect.map(currencies.current, (prices) => {
      const view = prices.find(({ currency }) => currency === code)
      return view === undefined ? null : { view }
    })
  ),
  health: (of) =>
    singleAnswer(of, () =>
      Effect.map(readHealth(of.stores), (health): Answer => ({
        json: of.write(health),
        ...isHealthy(health) ? {} : { status: 503 }
      })))
}

type ListPages = (
  ...of: Parameters<LedgerReader["Service"]["list"]>
) => Effect.Effect<Page<ListItems[ListName]>, NotRegistered | StoreFailure>

/** Returns a function that returns pages as if unregistered values of filters matched nothing. */
const pagesOfRegistered = (reader: LedgerReader["Service"]): ListPages => {
  const pages: ListPages = (name, query) =>
    Effect.catchTag(reader.list(name, query), "NotRegistered", (failure) => {
      const filters = registeredFilters(query.filters, failure)
      return filters === null ? emptyPage(failure) : pages(name, { ...query, filters })
    })
  return pages
}

/** Returns filters without the unregistered values of lists; null if nothing is left of a filter. */
const registeredFilters = (
  filters: { readonly [filter: string]: unknown },
  { things }: NotRegistered
): { readonly [filter: string]: unknown } | null => {
  const left = new Map(Object.entries(filters))
  for (const { filter, value } of things) {
    const values = left.get(filter)
    const registered = Array.isArray(values) ? values.filter((each) => each !== value) : []
    if (registered.length === 0) return null
    left.set(filter, registered)
  }
  return Object.fromEntries(left)
}

const emptyPage = ({ snapshotId }: NotRegistered): Effect.Effect<Page<never>> =>
  Effect.succeed({
    items: [],
    counts: { pendingItems: 0, totalItems: 0, firstItem: null, lastItem: null },
    snapshotId
  })

/** Decodes the query string of a list. */
const listAnswer = <N extends AnyListName>(
  { context, options: { listItemsMax, revisions }, revision }: Bound,
  list: N,
  respond: (query: QueryOf<N>, text: string) => Effect.Effect<Answer, ReadFailure>
): ReadOperation => {
  const read = queryReader(list, revision, context, revisions, listItemsMax)
  return (_, query) => {
    const decoded = read(query)
    return Result.isSuccess(decoded)
      ? respond(decoded.success, query)
      : Effect.fail(badInput(decoded.failure))
  }
}

/** Decodes path values, and fails if there is a parameter that the revision refuses. */
const singleAnswer = (
  { context, operation, revision: { requestRules } }: Bound,
  respond: (
    values: ReadonlyArray<unknown>,
    path: ReadonlyArray<string>
  ) => Effect.Effect<Answer, ReadFailure>
): ReadOperation => {
  const read = pathReader(operation.parameters, context, requestRules.spelling)
  return (path, query) => {
    const values = read(path)
    const extra = noQuery(query, requestRules)
    return Result.isSuccess(values) && extra.length === 0
      ? respond(values.success, path)
      : Effect.fail(badInput([...(Result.isFailure(values) ? values.failure : []), ...extra]))
  }
}
