/** A typed client for every platform with `fetch`, browsers included; it imports no package. */
export type { ProblemName } from "./_declared.ts"
export {
  type Call,
  type CallOptions,
  type Client,
  type ClientOptions,
  type ListsOf,
  type Paged,
  type RevisionName,
  rollupClient
} from "./client.ts"
export type { Local, LocalName } from "./local_name.ts"
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
export type * from "./revisions.ts"
export type { AtLeastOne, JsonText, NoParameters, Paging } from "./parameters.ts"
