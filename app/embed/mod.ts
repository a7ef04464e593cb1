/** A node in the process of its host, with promises; no host needs to know Effect. */
export { type JsonValue, toJson } from "./json.ts"
export type { LedgerMethods, Query } from "./ledger_methods.ts"
export type { GroupInput, NodeServer, RollupNode, TransactionInput } from "./node.ts"
export type { EmbedOptions, ListenOptions, LogEntry } from "./options.ts"
export { NodeError, type NodeErrorTag } from "./node_error.ts"
export { openNode } from "./open_node.ts"
export type { Violation } from "../../core/contract/mod.ts"
export type { DatabaseStore, DirectoryStore, MemoryStore, NodeStore } from "../node/mod.ts"
