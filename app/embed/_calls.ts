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
        else reject(errorOfCause(exit.cause))
      })
    })
  }

  /** Throws a `NodeError` if the node is closed. */
  checkOpen(): void {
    if (this.#closing === undefined) return
    throw new NodeError("NodeClosed", "The node is closed: open another one")
  }

  /**
   * Calls a function while the node is open; `close` waits for its promise. Rejects with a
   * `NodeError`, whatever the function throws.
   */
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
    const done = Promise.allSettled(this.#promises)
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise((resolve) => timer = setTimeout(resolve, callsMaxMs))
    await Promise.race([done, timeout])
    clearTimeout(timer)
    await Effect.runPromise(Fiber.interruptAll(this.#fibers))
    // those that were starting
    await closeServers()
    await this.#runtime.dispose()
  }
}

/** Maximum time that `close` waits for calls in progress. */
const callsMaxMs = 5000
