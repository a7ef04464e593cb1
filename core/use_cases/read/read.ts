import { Effect, Result } from "effect"
import {
  answerShape,
  type Shape,
  writerOf,
  type AnyListName,
  type FiltersOf,
  type InputFault,
  noQuery,
  type Operation,
  type OperationId,
  pathReader,
  queryReader,
  type ReadOperationId,
  readOperationsOf,
  type Revision,
  type WireContext
} from "../../contract/mod.ts"
import { isHealthy, type NetworkConstants } from "../../domain/mod.ts"
import type { EthereumAddress, TransactionId } from "../../encoding/mod.ts"
import {
  CurrencyPrices,
  type Dependency,
  type FoundItem,
  LedgerReader,
  type LedgerStamp,
  type NotRegistered,
  type Page,
  PoolStore,
  type StoreFailure
} from "../../ports/mod.ts"
import { findGroup, findPooled, listPool } from "../pool/mod.ts"
import { currencyOf, listCurrencies } from "./currencies.ts"
import { dependenciesOf } from "./dependencies.ts"
import { readHealth } from "./health.ts"
import { badInput, failNotFound, type ReadFailure } from "./read_failures.ts"
import { failForWrongSymbol, wrongPathSymbol } from "./_symbols.ts"

/** The answer of an operation: JSON text, and the stamp of its snapshot. */
export interface Answer {
  readonly json: string
  /** Absent if the answer does not read the ledger. */
  readonly stamp?: LedgerStamp
  /**
   * The answer is current while none of these parts of the ledger changes. Absent if it can change
   * without the ledger, such as an answer about the pool.
   */
  readonly dependsOn?: ReadonlyArray<Dependency>
  /** 200 by default; 503 if the node says that it cannot answer. */
  readonly status?: 503
}

/**
 * Executes one operation of one revision. Path values and query string are percent-encoded, as in
 * the URL.
 */
export type ReadOperation = (
  path: ReadonlyArray<string>,
  query: string
) => Effect.Effect<Answer, ReadFailure>

/** The operations of one revision, bound to the stores. */
export interface ReadInterface {
  readonly revision: Revision
  readonly operations:
    & { readonly [Id in OperationId]: ReadOperation }
    & { readonly [Id in ReadOperationId]?: ReadOperation }
}

/** The options of `readInterfaces`. */
export interface ReadOptions {
  readonly context: WireContext
  readonly constants: NetworkConstants
  /** All served revisions. */
  readonly revisions: ReadonlyArray<Revision>
  /** Maximum number of items in a list parameter; the maximum page size by default. */
  readonly listItemsMax?: number
  /** Seconds that the coordinator waits between two batches, as `state` shows it; 0 by default. */
  readonly forgeDelaySeconds?: number
}

/**
 * Returns the read operations of each revision, bound to the stores. Decoders and writers are built
 * once, when this is called.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { later, readInterfaces, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { constants, network } } = simulate({ seed: 1 })
 * const context = wireContext(network, keccak256)
 * const opening = readInterfaces({ context, constants, revisions: [later] })
 * const reading = Effect.flatMap(opening, ([first]) => first!.operations.getToken(["0"], ""))
 * const stores = Layer.merge(Memory.layer(genesis), Memory.poolLayer)
 * const { json } = await Effect.runPromise(Effect.provide(reading, stores))
 * console.log(JSON.parse(json).symbol) // => ETH
 * ```
 */
export const readInterfaces = Effect.fnUntraced(function*(options: ReadOptions) {
  const stores = {
    reader: yield* LedgerReader,
    pool: yield* PoolStore,
    currencies: yield* CurrencyPrices
  }
  return options.revisions.map((revision): ReadInterface => ({
    revision,
    operations: Object.fromEntries(
      readOperationsOf(revision).map(([id, operation]) => [
        id,
        bindOperation(operation, revision, options, stores)
      ])
    ) as ReadInterface["operations"]
  }))
})

interface Stores {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
  readonly currencies: CurrencyPrices
}

const bindOperation = (
  operation: Operation,
  revision: Revision,
  options: ReadOptions,
  { currencies, pool, reader }: Stores
): ReadOperation => {
  const { constants, context, listItemsMax, revisions } = options
  const write = writerOf(answerShape(operation, revision) as Shape<unknown>, context)
  const answer = (
    view: unknown,
    stamp: LedgerStamp,
    dependsOn: ReadonlyArray<Dependency>
  ): Answer => ({ json: write(view), stamp, dependsOn })
  const poolAnswer = (view: unknown, stamp: LedgerStamp): Answer => ({ json: write(view), stamp })
  const readerOf = <N extends AnyListName>(list: N) =>
    queryReader(list, revision, context, revisions, listItemsMax)
  switch (operation.kind) {
    case "list": {
      const { list } = operation
      const pages: (
        ...of: Parameters<Stores["reader"]["list"]>
      ) => Effect.Effect<Page<unknown>, NotRegistered | StoreFailure> =
        revision.unregistered === undefined
          ? reader.list
          : (name, query) => Effect.catchTag(reader.list(name, query), "NotRegistered", emptyPage)
      const checkSymbol = failForWrongSymbol(list, revision, context, reader)
      return listAnswer(readerOf(list), (query, text) =>
        Effect.gen(function*() {
          const page = yield* pages(list, query)
          const { accountIndex } = query.filters as FiltersOf<"exits">
          yield* checkSymbol(text, accountIndex, page)
          return answer(page, page.stamp, dependenciesOf.list(list, query.filters))
        }))
    }
    case "item":
      return singleAnswer(
        operation,
        revision,
        context,
        (values, path) =>
          Effect.flatMap(
            reader.find(operation.item, operation.key(values as ReadonlyArray<never>)),
            ({ item, stamp }: FoundItem<unknown>): Effect.Effect<Answer, ReadFailure> => {
              if (item === null) return failNotFound(operation, context, path, stamp)
              const wrong = wrongPathSymbol(
                operation,
                revision,
                context,
                { item, stamp },
                path
              )
              return wrong === undefined
                ? Effect.succeed(
                  answer(
                    item,
                    stamp,
                    dependenciesOf.item(operation.item, item as never, stamp, constants)
                  )
                )
                : Effect.fail(wrong)
            }
          )
      )
    case "authorization":
      return singleAnswer(operation, revision, context, (values, path) =>
        Effect.gen(function*() {
          const authorization = yield* pool.authorization(values[0] as EthereumAddress)
          return authorization === null
            ? yield* failNotFound(operation, context, path)
            : poolAnswer(authorization, yield* reader.stamp)
        }))
    case "poolTransaction":
      return singleAnswer(operation, revision, context, (values, path) =>
        Effect.gen(function*() {
          const found = yield* findPooled({ pool, reader }, values[0] as TransactionId)
          return found === null
            ? yield* failNotFound(operation, context, path)
            : poolAnswer(found.view, found.stamp)
        }))
    case "group":
      return singleAnswer(operation, revision, context, (values, path) =>
        Effect.gen(function*() {
          const { items, stamp } = yield* findGroup({ pool, reader }, values[0] as string)
          return items.length === 0
            ? yield* failNotFound(operation, context, path)
            : poolAnswer(items, stamp)
        }))
    case "poolList":
      return listAnswer(readerOf("pool"), (query) =>
        listPool({ pool, reader }, query).pipe(
          Effect.map((page) => poolAnswer(page, page.stamp)),
          Effect.mapError((failure) =>
            failure._tag === "BadInput"
              ? badInput(failure.faults.map((fault) => ({
                ...fault,
                parameter: context.name(fault.parameter)
              })))
              : failure
          )
        ))
    case "health":
      return singleAnswer(
        operation,
        revision,
        context,
        () =>
          Effect.map(readHealth({ pool, reader }), (health): Answer => ({
            json: write(health),
            ...isHealthy(health) ? {} : { status: 503 }
          }))
      )
    case "currencyList":
      return listAnswer(
        readerOf("currencies"),
        (query) =>
          Effect.map(listCurrencies(currencies, query), (items) => ({ json: write({ items }) }))
      )
    case "currency":
      return singleAnswer(
        operation,
        revision,
        context,
        ([code], path) =>
          Effect.flatMap(
            currencyOf(currencies, code as string),
            (price) =>
              price === undefined
                ? failNotFound(operation, context, path)
                : Effect.succeed<Answer>({ json: write(price) })
          )
      )
    case "state":
      return singleAnswer(operation, revision, context, () =>
        Effect.gen(function*() {
          const node = revision.showsNode === true
            ? {
              forgeDelaySeconds: options.forgeDelaySeconds ?? 0,
              poolLoad: (yield* pool.counts).pend
            }
            : null
          const { stamp, state } = yield* reader.state
          const view = { ...state, node }
          return node === null
            ? answer(view, stamp, dependenciesOf.state)
            : poolAnswer(view, stamp)
        }))
    case "config":
      return () =>
        Effect.map(reader.state, ({ stamp, state: { variables } }) => {
          const { verifiers } = variables.rollup
          const rollup = { ...constants.rollup, verifiers }
          return answer({ ...constants, rollup }, stamp, dependenciesOf.config)
        })
  }
}

const emptyPage = ({ stamp }: NotRegistered): Effect.Effect<Page<never>> =>
  Effect.succeed({
    items: [],
    counts: { pendingItems: 0, totalItems: 0, firstItem: null, lastItem: null },
    stamp
  })

/** Decodes the query string of a list. */
const listAnswer = <Query>(
  read: (query: string) => Result.Result<Query, ReadonlyArray<InputFault>>,
  respond: (query: Query, text: string) => Effect.Effect<Answer, ReadFailure>
): ReadOperation =>
(_, query) => {
  const decoded = read(query)
  return Result.isSuccess(decoded)
    ? respond(decoded.success, query)
    : Effect.fail(badInput(decoded.failure))
}

/** Decodes path values, and fails if there is a parameter that the revision refuses. */
const singleAnswer = (
  operation: Operation,
  { requestRules }: Revision,
  context: WireContext,
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
