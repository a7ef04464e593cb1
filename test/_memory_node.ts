import type { Layer } from "effect"
import { memoryStores, type Node, type NodeOptions, nodeOver } from "../app/node/mod.ts"

/**
 * Returns a node over stores in memory, without `NodeChanges`: building it is synchronous and
 * cannot fail.
 */
export const memoryNode = (options: NodeOptions): Layer.Layer<Node> =>
  nodeOver(memoryStores(options), options)
