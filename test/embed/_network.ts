import { assert } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeError, type RollupNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { rejection } from "../_rejection.ts"
import { freshDatabase } from "../postgres/mod.ts"

/** An empty store that is removed at the end of its scope, after the node that uses it. */
const removedBy = <Store extends object>(remove: () => Promise<void>, store: Store) => ({
  ...store,
  remove,
  [Symbol.asyncDispose]: remove
})

/** Returns a new empty database. */
export const newDatabase = async () => {
  const { remove, url } = await freshDatabase()
  return removedBy(remove, { url, store: { database: url } })
}

/** The kinds of stores, and a new empty one of each. */
export const newStores = {
  memory: async () => removedBy(async () => {}, { store: { memory: true } as const }),
  directory: async () => {
    const directory = mkdtempSync(join(tmpdir(), "rollup-embed-"))
    return removedBy(async () => rmSync(directory, { recursive: true }), { store: { directory } })
  },
  database: newDatabase
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
