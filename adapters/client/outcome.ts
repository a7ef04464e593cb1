import type { ProblemName } from "./generated/mod.ts"

/**
 * The state of the ledger that an answer shows, from its headers; null if the answer does not
 * contain it.
 */
export interface Snapshot {
  readonly ethereumBlockNum: bigint | null
  readonly batchNum: number | null
  /** Grows with every block, batch, rollback and price. */
  readonly version: number | null
}

/** A successful call. */
export interface Answer<T> {
  readonly ok: true
  /**
   * The decoded answer. It is frozen: later calls may return the same object while it is unchanged.
   */
  readonly value: T
  readonly snapshot: Snapshot
}

/** A violation of one rule by the request. */
export interface Fault {
  readonly in: "path" | "query" | "header" | "body"
  /** The name of the parameter; for a body `pointer` is set instead. */
  readonly parameter?: string
  readonly pointer?: string
  /** The invalid value; null if a value is missing. */
  readonly value: string | null
  readonly rule: string
  readonly message: string
  /** The known name that is closest to an unknown one. */
  readonly nearest?: string
}

/** The body of a refusal (RFC 9457). */
export interface Problem {
  /** One sentence for people. */
  readonly message: string
  /** `urn:rollup-node-api:problem:` and the name; in revision `v1` the name of the error. */
  readonly type: string
  /** In revision `v1`: the number of the error, if it has one. */
  readonly code?: number
  /** In revision `v1`: `urn:rollup-node-api:problem:` and the name. */
  readonly problem?: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  /** All violations of the input. */
  readonly errors?: ReadonlyArray<Fault>
}

interface Failed<Tag extends string> {
  readonly ok: false
  readonly _tag: Tag
  /** One sentence for people: what happened, and what to do. */
  readonly message: string
  /** Whether a later retry may succeed. */
  readonly retry: boolean
}

/**
 * The server refused the request, and sent a problem with the reason.
 *
 * ```ts
 * import { rollupClient } from "rollup-node-api/client"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const client = rollupClient({ url: "http://node", fetch: node.fetch })
 *
 * const outcome = await client.getBatches({ limit: 0 })
 * if (!outcome.ok && outcome._tag === "Refused") {
 *   const [violation] = outcome.problem.errors!
 *   console.log(outcome.problem.status, violation!.parameter, violation!.value) // => 400 limit 0
 * }
 * await node.close()
 * ```
 */
export interface Refused extends Failed<"Refused"> {
  readonly name: ProblemName
  readonly problem: Problem
  readonly snapshot: Snapshot
  /** The time after which the server accepts a retry, in seconds. */
  readonly retryAfterSeconds?: number
}

/** There was no response, for example because the connection failed. */
export interface Unreachable extends Failed<"Unreachable"> {
  readonly cause: unknown
}

/** There was no complete response within the timeout. */
export interface TimedOut extends Failed<"TimedOut"> {
  readonly timeoutMs: number
}

/** The caller's signal aborted the call. */
export interface Aborted extends Failed<"Aborted"> {
  readonly cause: unknown
}

/**
 * The response does not follow this contract: it comes from a proxy, another server or another
 * revision.
 */
export interface Unexpected extends Failed<"Unexpected"> {
  readonly status: number
  /** The first 500 characters of the body. */
  readonly text: string
  readonly retryAfterSeconds?: number
}

/** Every way in which a call can fail; `_tag` distinguishes them. */
export type Failure = Refused | Unreachable | TimedOut | Aborted | Unexpected

/** The result of a call. */
export type Outcome<T> = Answer<T> | Failure

/**
 * A failure as an exception.
 *
 * ```ts
 * import { RequestFailed, rollupClient, valueOf } from "rollup-node-api/client"
 *
 * const fetch = () => Promise.reject(new Error("connection refused"))
 * const client = rollupClient({ url: "http://node", fetch, retriesMax: 0 })
 * try {
 *   valueOf(await client.getState())
 * } catch (error) {
 *   if (error instanceof RequestFailed) console.log(error.failure._tag) // => Unreachable
 * }
 * ```
 */
export class RequestFailed extends Error {
  readonly _tag = "RequestFailed"
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * Returns the value of an answer. Throws RequestFailed if the call failed.
 *
 * @example
 * ```ts
 * import { rollupClient, valueOf } from "rollup-node-api/client"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const client = rollupClient({ url: "http://node", fetch: node.fetch })
 * console.log(valueOf(await client.getToken({ id: 0 })).symbol) // => ETH
 * await node.close()
 * ```
 */
export const valueOf = <T>(outcome: Outcome<T>): T => {
  if (outcome.ok) return outcome.value
  throw new RequestFailed(outcome)
}
