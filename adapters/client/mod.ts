/** A typed client for every platform with `fetch`, browsers included; it imports no package. */
export type { ProblemName } from "./generated/mod.ts"
export { type Call, type Client, type ListsOf, type Paged, rollupClient } from "./client.ts"
export type { Local, LocalName } from "./local_name.ts"
export { getNetwork, type NetworkIdentity } from "./network.ts"
export { type CallOptions, type ClientOptions, type RevisionName, waitFor } from "./options.ts"
export {
  type Aborted,
  type Answer,
  type Failure,
  type Fault,
  type Outcome,
  type Problem,
  type Refused,
  RequestFailed,
  type Snapshot,
  type TimedOut,
  type Unexpected,
  type Unreachable,
  valueOf
} from "./outcome.ts"
export type * from "./generated/revisions/mod.ts"
export type { AtLeastOne, JsonText, NoParameters, Paging } from "./parameters.ts"
