import { Layer } from "effect"
import * as Memory from "../adapters/memory/mod.ts"
import {
  feesOf,
  type Node,
  type NodeOptions,
  nodeOver,
  type StoreOptions,
  type Stores
} from "./layers.ts"

/** Returns stores in memory. */
export const memoryStores = ({ genesis, ...options }: StoreOptions): Layer.Layer<Stores> =>
  Layer.merge(Memory.layer(genesis, feesOf(options)), Memory.poolLayer)

/** Returns a node over stores in memory. */
export const memoryNode = (options: NodeOptions): Layer.Layer<Node> =>
  nodeOver(memoryStores(options), options)
