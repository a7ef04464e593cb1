import type { Layer } from "effect"
import { type Node, type NodeOptions, nodeOver } from "./layers.ts"
import { memoryStores } from "./stores.ts"

/**
 * Returns a node over stores in memory, without `NodeChanges`: building it is synchronous and
 * cannot fail.
 */
export const memoryNode = (options: NodeOptions): Layer.Layer<Node> =>
  nodeOver(memoryStores(options), options)
