import { parentPort } from "node:worker_threads"
import { StateTrees } from "../../adapters/crypto/mod.ts"
import type { StateAccount, StateRootRequest } from "../../core/mod.ts"
import type { CallMessage } from "./call_thread.ts"

/* The entry point of the thread of the state trees; other files import only its types. */

const trees = new StateTrees()

const calls = {
  load: (accounts: ReadonlyArray<StateAccount>) => trees.load(accounts),
  endLoad: (hash: string | null) => trees.endLoad(hash),
  verify: (request: StateRootRequest) => trees.verify(request)
}

export type StateTreeCalls = typeof calls

parentPort?.on("message", ({ args, name }: CallMessage) => {
  const call = calls[name as keyof StateTreeCalls] as (...args: ReadonlyArray<unknown>) => unknown
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(call(...args))
})
