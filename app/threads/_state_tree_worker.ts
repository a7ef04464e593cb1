import { StateTrees } from "../../adapters/crypto/mod.ts"
import type { StateAccount, StateRootRequest } from "../../core/mod.ts"
import { serveCalls } from "./call_thread.ts"

/* The entry point of the thread of the state trees; other files import only its types. */

const trees = new StateTrees()

const calls = {
  load: (accounts: ReadonlyArray<StateAccount>) => trees.load(accounts),
  endLoad: (hash: string | null) => trees.endLoad(hash),
  verify: (request: StateRootRequest) => trees.verify(request)
}

export type StateTreeCalls = typeof calls

serveCalls(calls)
