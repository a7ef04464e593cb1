import { Effect, Schema } from "effect"
import { Application, toFetchHandler } from "../../adapters/http/mod.ts"
import { findViolations, messageOfAll, shownValue } from "../../core/contract/mod.ts"
import {
  BlockFeed,
  type BlockViolation,
  checkItemKey,
  checkListQuery,
  type CurrencyPrice,
  type FeedRecord,
  GenesisFeed,
  HeadFeed,
  Ledger,
  LedgerReader,
  type ListQuery,
  type Network,
  Pool,
  PriceFeed,
  type StoreFailure,
  Submission,
  WriteSession
} from "../../core/mod.ts"
import { NodeChanges } from "../node/mod.ts"
import type { Calls } from "./_calls.ts"
import {
  checkListener,
  checkRequest,
  readAuthorization,
  readCurrencies,
  readGroup,
  readPoolArguments,
  readTransaction,
  withArgumentNames
} from "./_inputs.ts"
import { readListenOptions } from "./_options.ts"
import { oneByOne } from "./_subscription.ts"
import { withToJson } from "./json.ts"
import type { LedgerMethods } from "./ledger_methods.ts"
import type { RollupNode } from "./node.ts"
import { badInput, type Failure, NodeError } from "./node_error.ts"
import type { LogEntry } from "./options.ts"
import { isRecordJson } from "./read_record.ts"

/** The services that the methods of an open node use. */
export const nodeServices = Effect.all({
  application: Application,
  changes: NodeChanges,
  ledger: Ledger,
  pool: Pool,
  reader: LedgerReader,
  submission: Submission
})

/** An open node without its methods. */
export interface OpenNode extends Effect.Success<typeof nodeServices> {
  readonly calls: Calls
  readonly shown: ShownCurrencies
  readonly network: Network
  readonly log: (entry: LogEntry) => void
}

/** The prices of currencies that the node shows now. */
export interface ShownCurrencies {
  prices: ReadonlyArray<CurrencyPrice>
}

/** Returns the methods of an open node. */
export const nodeOf = (open: OpenNode): RollupNode => {
  const close = () => open.calls.close()
  return {
    ...ledgerMethods(open),
    ...readMethods(open),
    ...submissionMethods(open),
    ...servingMethods(open),
    pool: promisedPool(open),
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Runs an effect while the node is open. */
const call = <A, E extends Failure | NodeError>(
  { calls }: OpenNode,
  effect: () => Effect.Effect<A, E>
): Promise<A> => calls.whileOpen(async () => withToJson(await calls.run(effect())))

const ledgerMethods = (open: OpenNode): Omit<LedgerMethods, "find" | "list" | "state"> => {
  const { calls, ledger, shown } = open
  const session = { since: null }
  const write = <A, E extends Failure | NodeError>(
    effect: () => Effect.Effect<A, E>,
    ...shape: Parameters<typeof shapeViolations>
  ): Promise<A> =>
    call(open, () =>
      Effect.mapError(
        Effect.provideService(effect(), WriteSession, session),
        shapeViolations(...shape)
      ))
  return {
    applyBlock: (block) =>
      write(() => ledger.applyBlock(block), BlockFeed, block, "Argument block"),
    applyRecord: (record) =>
      write(
        () => Effect.mapError(ledger.applyRecord(record), unlessJson(record)),
        ...contentOf(record)
      ),
    rollBack: (toBlock) => write(() => ledger.rollBack(toBlock)),
    setPrices: (prices) =>
      write(
        () => ledger.setPrices(prices),
        Schema.Array(PriceFeed),
        prices,
        "Argument prices",
        "/prices"
      ),
    setCurrencies: (prices) =>
      calls.whileOpen(async () => void (shown.prices = readCurrencies(prices)))
  }
}

const readMethods = (open: OpenNode): Pick<RollupNode, "find" | "list" | "state"> => {
  const { reader } = open
  return {
    list: (name, query = {}) =>
      call(open, () =>
        Effect.flatMap(
          Effect.fromResult(checkListQuery(name, query as ListQuery<typeof name>)),
          (checked) => reader.list(name, checked)
        )),
    find: (name, key) =>
      call(open, () =>
        Effect.flatMap(
          Effect.fromResult(checkItemKey(name, key)),
          (checked) => reader.find(name, checked)
        )),
    state: () => call(open, () => reader.state)
  }
}

const submissionMethods = (
  open: OpenNode
): Pick<RollupNode, "submitAuthorization" | "submitGroup" | "submitTransaction"> => {
  const { network, submission } = open
  const named = withArgumentNames(network)
  const submit = <A, E extends Failure>(effect: () => Effect.Effect<A, E>): Promise<A> =>
    call(open, () => Effect.mapError(effect(), named))
  return {
    submitTransaction: (posted) =>
      submit(() => submission.submitTransaction(readTransaction(posted))),
    submitGroup: (posted) => submit(() => submission.submitGroup(readGroup(posted))),
    submitAuthorization: (posted) =>
      submit(() => submission.submitAuthorization(readAuthorization(posted)))
  }
}

const servingMethods = (
  { application, calls, changes, log }: OpenNode
): Pick<RollupNode, "fetch" | "handle" | "listen" | "onChange"> => {
  const handle: RollupNode["handle"] = (request, signal) =>
    calls.whileOpen(async () => {
      checkRequest(request)
      return await calls.run(application.handle(request), signal)
    })
  const fetch = toFetchHandler({ handle })
  return {
    fetch: (request) =>
      calls.whileOpen(async () => {
        checkRequest(request)
        return await fetch(request)
      }),
    handle,
    listen: (input) =>
      calls.whileOpen(async () => {
        const options = readListenOptions(input)
        const { listen } = await import("./_listen.ts")
        const server = await calls.run(listen(options, () => calls.servers.delete(server)))
        calls.servers.add(server)
        return server
      }),
    onChange: (listener) => {
      checkListener(listener)
      calls.checkOpen()
      let isOpen = true
      const unsubscribe = changes.subscribe(
        oneByOne(
          listener,
          () => isOpen,
          (cause) => log({ level: "error", message: "A listener of changes failed", cause })
        )
      )
      return () => {
        isOpen = false
        unsubscribe()
      }
    }
  }
}

/** Returns a function that replaces a violation of the shape if the record is JSON. */
const unlessJson = (record: unknown) => <E extends Failure>(failure: E): E | NodeError => {
  if (failure._tag !== "BlockViolation" || failure.invariant !== "shape") return failure
  if (typeof record !== "string" && !isRecordJson(record)) return failure
  const value = shownValue(record)
  const rule = "a record with its values in memory"
  const message = `Argument record is ${
    typeof record === "string" ? "a line of a feed" : "the JSON of a line of a feed"
  }: read the line with readRecord(line)`
  return badInput([{ path: "", value, rule, message }])
}

/** Returns the schema of the content of a record, and the content. */
const contentOf = (record: FeedRecord): Parameters<typeof shapeViolations> => {
  switch (record?.kind) {
    case "genesis":
      return [GenesisFeed, record.genesis, "The genesis", "/genesis"]
    case "block":
      return [BlockFeed, record.block, "The block"]
    case "prices":
      return [Schema.Array(PriceFeed), record.prices, "The prices", "/prices"]
    case "head":
      return [HeadFeed, record.head, "The head", "/head"]
    default:
      return []
  }
}

/** Returns the methods of the pool as functions that return promises. */
const promisedPool = (open: OpenNode): RollupNode["pool"] =>
  Object.fromEntries(
    Object.entries(open.pool).map(([name, member]) => [
      name,
      (...args: ReadonlyArray<unknown>) =>
        call<unknown, Failure>(open, () =>
          Effect.isEffect(member)
            ? member
            : (member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, StoreFailure>)(
              ...readPoolArguments(name, args)
            ))
    ])
  ) as unknown as RollupNode["pool"]

/**
 * Returns a function that replaces a violation of the shape, which names only the first one, by all
 * of them.
 */
const shapeViolations =
  (schema?: Parameters<typeof findViolations>[0], input?: unknown, title = "", root = "") =>
  <E extends Failure | NodeError>(failure: E): E | NodeError => {
    if (schema === undefined || failure._tag !== "BlockViolation") return failure
    if ((failure as BlockViolation).invariant !== "shape") return failure
    const violations = findViolations(schema, input, title, root)
    return violations.length < 2
      ? failure
      : new NodeError("BlockViolation", messageOfAll(violations), { violations })
  }
