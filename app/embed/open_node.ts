import { Cause, Effect, Layer, Logger, ManagedRuntime, Schema } from "effect"
import { Application, toFetchHandler } from "../../adapters/http/mod.ts"
import {
  BlockFeed,
  type BlockViolation,
  checkItemKey,
  checkListQuery,
  type CurrencyPrice,
  CurrencyPrices,
  type FeedRecord,
  GenesisFeed,
  HeadFeed,
  Ledger,
  LedgerReader,
  type ListQuery,
  Monitor,
  type Network,
  newWriteSession,
  Pool,
  PriceFeed,
  type StoreFailure,
  Submission,
  WriteSession
} from "../../core/mod.ts"
import { NodeChanges } from "../changes.ts"
import { type NodeLayerOptions, nodeLayer } from "../node_layer.ts"
import { exitProofsInThread, verifierThreads } from "../verifier.ts"
import { Calls } from "./_calls.ts"
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
import { readListenOptions, readOptions } from "./_options.ts"
import { oneByOne } from "./_subscription.ts"
import { findViolations } from "../../core/contract/mod.ts"
import { withToJson } from "./json.ts"
import type { EmbedOptions, LogEntry, RollupNode } from "./node.ts"
import { type Failure, NodeError } from "./node_error.ts"

/**
 * Opens a node over the stores that the options name. It updates the schema of a database, replays
 * the journal of a directory, and waits up to 60 seconds for a database that does not answer, or
 * until `signal` is aborted.
 * Rejects with BadInput if an option is invalid, with JournalError if the directory cannot be used,
 * and with DatabaseError if the database refuses the connection or holds another ledger.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const directory = mkdtempSync("rollup-node-")
 * const { genesis, next } = simulate({ seed: 1 })
 * {
 *   await using node = await openNode({ genesis, store: { directory } })
 *   for (let i = 0; i < 3; i++) await node.applyRecord(next())
 * }
 * // the next node continues
 * await using node = await openNode({ genesis, store: { directory } })
 * const { stamp } = await node.state()
 * console.log(stamp.ethereumBlockNum - genesis.block.number) // => 3n
 *
 * const error = await openNode({ genesis, store: { directory } }).catch((error) => error)
 * console.log(error._tag, error.reason, error.retry) // => JournalError inUse true
 * rmSync(directory, { recursive: true })
 * ```
 */
export const openNode = async (input: EmbedOptions): Promise<RollupNode> => {
  const { currencies = [], log = logToConsole, monitor = null, signal, ...options } = readOptions(
    input
  )
  if (signal?.aborted === true) throw new NodeError("Aborted", "The call was aborted")
  const shown: ShownCurrencies = { prices: currencies }
  const runtime = ManagedRuntime.make(
    nodeLayer(withVerifiers(options)).pipe(
      Layer.provideMerge(
        Layer.succeed(CurrencyPrices, { current: Effect.sync(() => shown.prices) })
      ),
      Layer.provideMerge(Layer.succeed(Monitor, monitor)),
      Layer.provideMerge(loggingTo(log))
    )
  )
  const calls = new Calls(runtime)
  const services = await calls.run(nodeServices, signal).catch(async (error: unknown) => {
    await runtime.dispose()
    throw error
  })
  return nodeOf(services, calls, { shown, network: options.genesis.network, log })
}

/** The prices of currencies that the node shows now. */
interface ShownCurrencies {
  prices: ReadonlyArray<CurrencyPrice>
}

const nodeServices = Effect.all({
  application: Application,
  changes: NodeChanges,
  ledger: Ledger,
  pool: Pool,
  reader: LedgerReader,
  submission: Submission
})
type NodeServices = Effect.Success<typeof nodeServices>

const nodeOf = (
  { application, changes, ledger, pool, reader, submission }: NodeServices,
  calls: Calls,
  { log, network, shown }: {
    readonly shown: ShownCurrencies
    readonly network: Network
    readonly log: (entry: LogEntry) => void
  }
): RollupNode => {
  const call = <A, E extends Failure | NodeError>(
    effect: () => Effect.Effect<A, E>
  ): Promise<A> => calls.whileOpen(async () => withToJson(await calls.run(effect())))
  const session = newWriteSession()
  const write = <A, E extends Failure>(
    effect: () => Effect.Effect<A, E>,
    ...shape: Parameters<typeof shapeViolations>
  ): Promise<A> =>
    call(() =>
      Effect.mapError(
        Effect.provideService(effect(), WriteSession, session),
        shapeViolations(...shape)
      )
    )
  const named = withArgumentNames(network)
  const handle: RollupNode["handle"] = (request, signal) =>
    calls.whileOpen(() => calls.run(application.handle(request), signal))
  const close = () => calls.close()
  const fetch = toFetchHandler({ handle })
  return {
    applyBlock: (block) =>
      write(() => ledger.applyBlock(block), BlockFeed, block, "Argument block"),
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
      calls.whileOpen(async () => void (shown.prices = readCurrencies(prices))),
    applyRecord: (record) => write(() => ledger.applyRecord(record), ...contentOf(record)),
    list: (name, query = {}) =>
      call(() =>
        Effect.flatMap(
          Effect.fromResult(checkListQuery(name, query as ListQuery<typeof name>)),
          (checked) => reader.list(name, checked)
        )
      ),
    find: (name, key) =>
      call(() =>
        Effect.flatMap(
          Effect.fromResult(checkItemKey(name, key)),
          (checked) => reader.find(name, checked)
        )
      ),
    state: () => call(() => reader.state),
    submitTransaction: (posted) =>
      call(() => Effect.mapError(submission.submitTransaction(readTransaction(posted)), named)),
    submitGroup: (posted) =>
      call(() => Effect.mapError(submission.submitGroup(readGroup(posted)), named)),
    submitAuthorization: (posted) =>
      call(() => Effect.mapError(submission.submitAuthorization(readAuthorization(posted)), named)),
    pool: promisedPool(pool, call),
    fetch: async (request) => {
      checkRequest(request)
      return await fetch(request)
    },
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
    },
    close,
    [Symbol.asyncDispose]: close
  }
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
const promisedPool = (
  pool: Pool["Service"],
  call: <A>(effect: () => Effect.Effect<A, Failure>) => Promise<A>
): RollupNode["pool"] =>
  Object.fromEntries(
    Object.entries(pool).map(([name, member]) => [
      name,
      (...args: ReadonlyArray<unknown>) =>
        call<unknown>(() =>
          Effect.isEffect(member)
            ? member
            : (member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, StoreFailure>)(
              ...readPoolArguments(name, args)
            )
        )
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
      : new NodeError(
        "BlockViolation",
        `${violations.length} violations: ${violations.map(({ message }) => message).join("; ")}`,
        { violations, cause: failure }
      )
  }

const withVerifiers = (
  { checkStateRoots, verifierThreads: workersMax, ...options }:
    & Pick<EmbedOptions, "checkStateRoots" | "verifierThreads">
    & NodeLayerOptions
): NodeLayerOptions => ({
  ...options,
  ...workersMax === undefined ? {} : {
    verifier: verifierThreads(options.genesis.network, { workersMax }),
    exitProofs: exitProofsInThread(options.genesis.network)
  },
  ...checkStateRoots === true
    ? {
      verifyStateRoots: Effect.flatMap(
        Effect.promise(() => import("../threads/mod.ts")),
        ({ verifyStateRootsInThread }) => verifyStateRootsInThread
      )
    }
    : {}
})

const logToConsole = ({ cause, level, message }: LogEntry): void => {
  if (level === "info") return
  console[level](`rollup-node: ${message}`, ...cause === undefined ? [] : [cause])
}

const loggingTo = (log: (entry: LogEntry) => void): Layer.Layer<never> =>
  Logger.layer([
    Logger.make(({ cause, logLevel, message }) =>
      log({
        level: logLevel === "Warn" ? "warn" : logLevel === "Info" ? "info" : "error",
        message: Array.isArray(message) ? message.map(String).join(" ") : String(message),
        ...cause.reasons.length === 0 ? {} : { cause: Cause.squash(cause) }
      })
    )
  ])
