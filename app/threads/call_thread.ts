import { Effect, type Scope } from "effect"
import { parentPort, Worker } from "node:worker_threads"

/** Functions that a thread runs, by name. Their arguments and results are copied. */
export type Calls<Names> = { readonly [name in keyof Names]: (...args: never) => unknown }

/** A call, with its arguments. */
interface CallMessage {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** A thread that runs calls one after the other. */
export interface CallThread<C extends Calls<C>> {
  /** Dies if the call throws, which ends the thread, and is interrupted if the scope closes. */
  readonly call: <Name extends keyof C & string>(
    name: Name,
    ...args: Parameters<C[Name]>
  ) => Effect.Effect<ReturnType<C[Name]>>
}

/** Runs the calls that this thread receives, and replies to each with its result. */
export const serveCalls = <C extends Calls<C>>(calls: C): void => {
  parentPort?.on("message", ({ args, name }: CallMessage) => {
    const call: (...args: never) => unknown = calls[name as keyof C]
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
    parentPort?.postMessage(call(...args as never))
  })
}

/**
 * Starts a thread that replies to each `CallMessage` with a result, in order, until the scope
 * closes. `name` is that of its file in this folder, without the extension.
 */
export const openCallThread = <C extends Calls<C>>(
  name: string,
  workerData?: unknown
): Effect.Effect<CallThread<C>, never, Scope.Scope> =>
  Effect.gen(function*() {
    // the source, if this runtime executes TypeScript; otherwise the build, which bundles keep
    // beside this file under the same name
    const file = `./${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`
    const worker = new Worker(new URL(file, import.meta.url), { name, workerData })
    const pending: Array<(reply: Effect.Effect<unknown>) => void> = []
    let ended: Effect.Effect<never> | undefined
    const end = (reply: Effect.Effect<never>) => {
      ended ??= reply
      for (const resume of pending.splice(0)) resume(ended)
    }
    worker.on("message", (result) => pending.shift()?.(Effect.succeed(result)))
    worker.on("error", (error) => end(Effect.die(error)))
    worker.on("exit", () => end(Effect.interrupt))
    yield* Effect.addFinalizer(() => Effect.promise(() => worker.terminate()))
    return {
      call: <Name extends keyof C & string>(name: Name, ...args: Parameters<C[Name]>) =>
        Effect.callback<ReturnType<C[Name]>>((resume) => {
          if (ended !== undefined) return resume(ended)
          pending.push((reply) => resume(reply as Effect.Effect<ReturnType<C[Name]>>))
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
          worker.postMessage({ name, args } satisfies CallMessage)
        })
    }
  })
