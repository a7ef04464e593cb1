import { Cause, Effect, Exit, Fiber, type Layer, type ManagedRuntime } from "effect"
import type { nodeLayer } from "../node/mod.ts"
import type { NodeServer } from "./node.ts"
import { errorOfCause, type Failure, NodeError } from "./node_error.ts"

type Services = Layer.Success<ReturnType<typeof nodeLayer>>

/** The calls in progress of an open node, and its servers. */
export class Calls {
  readonly #runtime: ManagedRuntime.ManagedRuntime<Services, Failure>
  readonly #fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  readonly #promises = new Set<Promise<unknown>>()
  readonly servers = new Set<NodeServer>()
  #closing: Promise<void> | undefined

  constructor(runtime: ManagedRuntime.ManagedRuntime<Services, Failure>) {
    this.#runtime = runtime
  }

  /** Runs an effect. Rejects with a `NodeError`. */
  run<A, E extends Failure | NodeError>(
    effect: Effect.Effect<A, E, Services>,
    signal?: AbortSignal
  ): Promise<A> {
    return new Promise((resolve, reject) => {
      const fiber = this.#runtime.runFork(effect, signal === undefined ? {} : { signal })
      this.#fibers.add(fiber)
      fiber.addObserver((exit) => {
        this.#fibers.delete(fiber)
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else if (this.#closing !== undefined && Cause.hasInterruptsOnly(exit.cause)) {
          reject(new NodeError("StoreFailure", closedMeanwhile, { retry: true }))
        } else reject(errorOfCause(exit.cause))
      })
    })
  }

  /** Throws a `NodeError` if the node is closed. */
  checkOpen(): void {
    if (this.#closing === undefined) return
    throw new NodeError("NodeClosed", "The node is closed: open another one")
  }

  /** Calls a function while the node is open; `close` waits for it. Rejects with a `NodeError`. */
  async whileOpen<A>(call: () => Promise<A>): Promise<A> {
    this.checkOpen()
    const promise = call()
    this.#promises.add(promise)
    try {
      return await promise
    } catch (error) {
      throw error instanceof NodeError ? error : errorOfCause(Cause.die(error))
    } finally {
      this.#promises.delete(promise)
    }
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close()
  }

  async #close(): Promise<void> {
    // a failure of a server or a call is reported to its caller
    const closeServers = () => Promise.allSettled([...this.servers].map((each) => each.close()))
    await closeServers()
    await Effect.runPromise(
      Effect.timeoutOption(Effect.promise(() => Promise.allSettled(this.#promises)), callsMaxMs)
    )
    await Effect.runPromise(Fiber.interruptAll(this.#fibers))
    // those that were starting
    await closeServers()
    await this.#runtime.dispose()
  }
}

/** Maximum time that `close` waits for calls in progress. */
const callsMaxMs = 5000
const closedMeanwhile =
  "The node was closed before the call ended: a write may have been stored, so read the state before you repeat it"
