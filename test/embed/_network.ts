import { assert } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeError, type NodeStore, type RollupNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { rejection } from "../_rejection.ts"
import { freshDatabase } from "../postgres/mod.ts"

/** The kinds of stores, and a new empty one of each. */
export const newStores: {
  readonly [kind: string]: () => Promise<{
    readonly store: NodeStore
    readonly remove: () => Promise<void>
  }>
} = {
  memory: async () => ({ store: { memory: true }, remove: async () => {} }),
  directory: async () => {
    const directory = mkdtempSync(join(tmpdir(), "rollup-embed-"))
    return {
      store: { directory },
      remove: async () => rmSync(directory, { recursive: true })
    }
  },
  database: async () => {
    const { remove, url } = await freshDatabase()
    return { store: { database: url }, remove }
  }
}

/** Returns a small simulated network. */
export const newSimulation = () => simulate({ seed: 1, users: 20, placeholderRoots: true })

/** Applies the next records of a simulation. */
export const applyNext = async (
  node: RollupNode,
  simulation: ReturnType<typeof newSimulation>,
  records: number
): Promise<void> => {
  for (let i = 0; i < records; i++) await node.applyRecord(simulation.next())
}

/** Applies records until the chain has accounts that can send transactions. */
export const applyHistory = async (
  node: RollupNode,
  simulation: ReturnType<typeof newSimulation>
): Promise<void> => {
  while (simulation.transactionCount() < 60) await node.applyRecord(simulation.next())
}

/** Returns the error of a call that must be rejected. */
export const rejectionOf = async (call: Promise<unknown>): Promise<NodeError> => {
  const error = await rejection(call)
  assert.instanceOf(error, NodeError)
  return error
}

/** Any value that a JavaScript host may pass. */
export const untyped = (value: unknown) => value as never

/** Returns when a condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
