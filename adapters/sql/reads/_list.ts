import { Effect } from "effect"
import {
  type Filter,
  limitDefault,
  type ListDeclaration,
  type ListItems,
  type ListName,
  type ListQuery,
  lists
} from "../../../core/contract/mod.ts"
import type { Token } from "../../../core/domain/mod.ts"
import {
  type LedgerStamp,
  NotRegistered,
  type Page,
  type StoreFailure,
  type UnregisteredThing
} from "../../../core/ports/mod.ts"
import { answerStatement } from "../connection/mod.ts"
import {
  countsOf,
  endOfLists,
  type Order,
  pageStatement,
  positionOf,
  postingLists
} from "../postings/mod.ts"
import { type ListQueryPlan, type SqlList, sqlLists, type TableListName } from "./_lists.ts"
import { Requery, type RunQuery } from "./_run_query.ts"
import { tokenOf } from "./_token_cache.ts"

/** Texts by list, shape and order: each is made once, since the driver knows a prepared statement by its text. */
const texts = new Map<string, string>()

export const textOnce = (name: string, make: () => string): string => {
  const known = texts.get(name)
  if (known !== undefined) return known
  const text = make()
  texts.set(name, text)
  return text
}

/** @param isCut whether the lists hold nothing but what there are rows of; where they do not it is left out, at some cost */
const statementOf = (
  name: TableListName,
  { shape, text }: ListQueryPlan,
  order: Order,
  isCut: boolean
): string =>
  textOnce(
    `${name} ${shape} ${order} ${isCut}`,
    () =>
      pageStatement({
        ...text(parametersFrom(4)),
        order,
        rows: [sqlLists[name].rows],
        ...isCut ? {} : { end: endOfLists(postingLists[name].table) }
      })
  )

/** Parameters of a text, in the order in which they are asked for. */
export const parametersFrom = (first: number) => {
  let next = first
  return (type: string): string => `$${next++}::${type}`
}

/** A page of one of the lists that have a row for each item. */
export const listTable = <N extends TableListName>(
  runQuery: RunQuery,
  name: N,
  query: ListQuery<N>
): Effect.Effect<Page<ListItems[N]>, NotRegistered | StoreFailure> => {
  const { filters, fromItem, limit = limitDefault, order = "ASC" } = query
  const list: SqlList<N> = sqlLists[name]
  const plan = list.plan(filters)
  const parameters = [plan.keys, positionOf(order, fromItem), String(limit), ...plan.values]
  const questionOf = (isCut: boolean) => ({
    text: statementOf(name, plan, order, isCut),
    parameters
  })
  let isCutExpected = true
  return Effect.flatMap(
    runQuery(questionOf(isCutExpected), (answer, tokens) => {
      const { counts, isCut, rest: [account, batch] } = countsOf(answer, order, answer.lines.length)
      if (isCutExpected && !isCut) return new Requery(questionOf(isCutExpected = false))
      const unknown = unregistered(name, filters, (kind, value) =>
        kind === "token"
          ? tokenOf(tokens, value) !== null
          : (kind === "account" ? account : batch) === "t", answer.stamp)
      return unknown ?? {
        items: answer.lines.map((line) => list.read(line, tokens)),
        counts,
        stamp: answer.stamp
      }
    }),
    (found) => found instanceof NotRegistered ? Effect.fail(found) : Effect.succeed(found)
  )
}

/** What the filters name and is not there, in the order of the filters. */
const unregistered = (
  name: ListName,
  filters: { readonly [filter: string]: unknown },
  isRegistered: (kind: NonNullable<Filter["references"]>, value: number) => boolean,
  stamp: LedgerStamp
): NotRegistered | undefined => {
  const declaration: ListDeclaration = lists[name]
  const things = Object.entries(filters).flatMap(
    ([filter, value]): ReadonlyArray<UnregisteredThing> => {
      const kind = declaration.filters[filter]?.references
      if (kind === undefined || value === undefined) return []
      const values = (Array.isArray(value) ? value : [value]) as ReadonlyArray<number>
      return values.filter((each) => !isRegistered(kind, each)).map((each) => ({
        filter,
        kind,
        value: each
      }))
    }
  )
  return isNonEmpty(things) ? new NotRegistered({ things, stamp }) : undefined
}

const isNonEmpty = <T>(list: ReadonlyArray<T>): list is readonly [T, ...Array<T>] => list.length > 0

/** Nothing but what names the snapshot. */
export const headStatement = answerStatement({ rows: [] })

/** A page of the tokens: they are few and in this process, so the statement only says which of their versions is the ledger's. */
export const listTokens = (
  runQuery: RunQuery,
  query: ListQuery<"tokens">
): Effect.Effect<Page<Token>, NotRegistered | StoreFailure> => {
  const { filters, fromItem, limit = limitDefault, order = "ASC" } = query
  return Effect.flatMap(
    runQuery(
      { text: headStatement, parameters: [] },
      ({ stamp }, tokens) =>
        unregistered("tokens", filters, (_, id) => tokenOf(tokens, id) !== null, stamp) ??
          { matching: tokens.all.filter(chosenBy(filters)), stamp }
    ),
    (found) => {
      if (found instanceof NotRegistered) {
        return Effect.fail(found)
      }
      const { matching, stamp } = found
      const rest = order === "ASC"
        ? matching.filter(({ itemId }) => itemId >= (fromItem ?? 0))
        : matching.filter(({ itemId }) => itemId <= (fromItem ?? Infinity)).reverse()
      const items = rest.slice(0, limit)
      return Effect.succeed({
        items,
        counts: {
          pendingItems: rest.length - items.length,
          totalItems: matching.length,
          firstItem: matching[0]?.itemId ?? null,
          lastItem: matching.at(-1)?.itemId ?? null
        },
        stamp
      })
    }
  )
}

const chosenBy = ({ ids, name, symbols }: ListQuery<"tokens">["filters"]) => {
  const [wantedIds, wantedSymbols] = [ids && new Set(ids), symbols && new Set(symbols)]
  return (token: Token): boolean =>
    (wantedIds?.has(token.id) ?? true) && (wantedSymbols?.has(token.symbol) ?? true) &&
    token.name.includes(name ?? "")
}
