import { Cause, Effect, Layer, Logger, ManagedRuntime } from "effect"
import { CurrencyPrices, Monitor } from "../../core/mod.ts"
import {
  exitTreesInThread,
  type NodeLayerOptions,
  nodeLayer,
  verifierThreads
} from "../node/mod.ts"
import { Calls } from "./_calls.ts"
import { nodeOf, nodeServices, type ShownCurrencies } from "./_methods.ts"
import { readOptions } from "./_options.ts"
import type { RollupNode } from "./node.ts"
import { checkNodeVersion, NodeError } from "./node_error.ts"
import type { EmbedOptions, LogEntry } from "./options.ts"

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
 * const { snapshotId } = await node.state()
 * console.log(snapshotId.ethereumBlockNum - genesis.block.number) // => 3n
 *
 * const error = await openNode({ genesis, store: { directory } }).catch((error) => error)
 * console.log(error._tag, error.reason, error.retry) // => JournalError inUse true
 * rmSync(directory, { recursive: true })
 * ```
 */
export const openNode = async (input: EmbedOptions): Promise<RollupNode> => {
  checkNodeVersion()
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
  return nodeOf({ ...services, calls, shown, network: options.genesis.network, log })
}

const withVerifiers = (
  { checkStateRoots, verifierThreads: workersMax, ...options }:
    & Pick<EmbedOptions, "checkStateRoots" | "verifierThreads">
    & NodeLayerOptions
): NodeLayerOptions => ({
  ...options,
  ...workersMax === undefined ? {} : {
    verifier: verifierThreads(options.genesis.network, { workersMax }),
    exitTrees: exitTreesInThread
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
