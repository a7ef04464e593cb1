/** A node as layers: its services over the stores that its options name. */
export * from "./changes.ts"
export * from "./layers.ts"
export * from "./node_layer.ts"
export * from "./stores.ts"
export * from "./verifier.ts"
