/** A node as one layer, for hosts that use Effect. */
export { NodeChanges } from "../changes.ts"
export type { Node, NodeOptions } from "../layers.ts"
export { nodeLayer, type NodeLayerOptions } from "../node_layer.ts"
export type { DatabaseStore, DirectoryStore, MemoryStore, NodeStore } from "../stores.ts"
