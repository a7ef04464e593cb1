import type { ProblemName } from "./_declared.ts"

/** The state of the ledger that an answer shows, from its headers; null where the answer does not say. */
export interface Snapshot {
  readonly ethereumBlockNum: bigint | null
  readonly batchNum: number | null
  /** Grows with every block, batch, rollback and price. */
  readonly version: number | null
}

/** What was asked for. */
export interface Answer<T> {
  readonly ok: true
  /** Frozen: the same object may be given again while it stays true. */
  readonly value: T
  readonly snapshot: Snapshot
}

/** One rule that the request breaks. */
export interface Fault {
  readonly in: "path" | "query" | "header" | "body"
  /** Name of the parameter; in a body `pointer` stands instead. */
  readonly parameter?: string
  readonly pointer?: string
  /** What was given; null where something is missing. */
  readonly value: string | null
  readonly rule: string
  readonly message: string
  /** The known name that is nearest to an unknown one. */
  readonly nearest?: string
}

/** The JSON object of a refusal (RFC 9457). */
export interface Problem {
  /** One sentence for a person. */
  readonly message: string
  /** `urn:rollup-node-api:problem:` and the name. */
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  /** Every rule that the input breaks. */
  readonly errors?: ReadonlyArray<Fault>
}

interface Failed<Tag extends string> {
  readonly ok: false
  readonly _tag: Tag
  /** One sentence for a person: what happened, and what to do. */
  readonly message: string
  /** Whether the same may go well later. */
  readonly retry: boolean
}

/** The server refused, and said why. */
export interface Refused extends Failed<"Refused"> {
  readonly name: ProblemName
  readonly problem: Problem
  readonly snapshot: Snapshot
  /** When the server wants to be asked again. */
  readonly retryAfterSeconds?: number
}

/** No answer came. */
export interface Unreachable extends Failed<"Unreachable"> {
  readonly cause: unknown
}

/** No whole answer came in time. */
export interface TimedOut extends Failed<"TimedOut"> {
  readonly timeoutMs: number
}

/** The signal of the caller ended the call. */
export interface Aborted extends Failed<"Aborted"> {
  readonly cause: unknown
}

/** What came is no answer of this contract: of a proxy, of another server, or of another revision. */
export interface Unexpected extends Failed<"Unexpected"> {
  readonly status: number
  /** The beginning of it. */
  readonly text: string
  readonly retryAfterSeconds?: number
}

/** Everything that can stand in place of an answer. */
export type Failure = Refused | Unreachable | TimedOut | Aborted | Unexpected

/** What a call resolves to; it never rejects. */
export type Outcome<T> = Answer<T> | Failure

/** A failure as an exception, for those who want one. */
export class RequestFailed extends Error {
  readonly _tag = "RequestFailed"
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** The value of an answer; throws RequestFailed where there is none. */
export const valueOf = <T>(outcome: Outcome<T>): T => {
  if (outcome.ok) return outcome.value
  throw new RequestFailed(outcome)
}
