/** A node as one layer, for hosts that use Effect. */
export {
  type DatabaseStore,
  type DirectoryStore,
  type MemoryStore,
  type Node,
  NodeChanges,
  nodeLayer,
  type NodeLayerOptions,
  type NodeOptions,
  type NodeStore
} from "../node/mod.ts"
