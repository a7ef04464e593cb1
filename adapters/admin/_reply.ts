import { Effect } from "effect"
import type { StoreFailure } from "../../core/mod.ts"
import { uriReference } from "../http/message/mod.ts"
import { type HttpAnswer, problems, problemType } from "../http/mod.ts"

/** The reason why a request is refused. */
export interface Refusal {
  readonly name: RefusalName
  /** One sentence for a person. */
  readonly message: string
  readonly faults?: ReadonlyArray<RecordFault>
  readonly headers?: HttpAnswer["headers"]
  /** Additional members of the answer. */
  readonly members?: { readonly [name: string]: unknown }
}

/** A rule that a record violates. */
export interface RecordFault {
  /** Line number in the body from 1; blank lines count. */
  readonly line: number
  /** JSON pointer into the record. */
  readonly pointer: string
  readonly value: string | null
  readonly rule: string
  readonly message: string
  /** The invariant of the ledger, if one is violated. */
  readonly invariant?: string
}

/** The problems of the public interface, and those of the admin listener alone. */
const refusals = {
  ...problems,
  "invalid-record": { status: 400, title: "A record does not have the required form" },
  "unauthorized": { status: 401, title: "The request has no valid token" },
  "ledger-elsewhere": { status: 412, title: "The last block of the ledger is different" },
  "body-too-large": { status: 413, title: "The body, or a line of it, is too large" },
  "block-violation": { status: 422, title: "A record contradicts the ledger or itself" },
  "precondition-required": {
    status: 428,
    title: "The record requires a precondition, because it must not be applied twice"
  }
} as const satisfies {
  readonly [name: string]: { readonly status: number; readonly title: string }
}

type RefusalName = keyof typeof refusals

/** Returns the answer to a refused request: a problem object, as the public interface has. */
export const refusal = (
  { faults, headers = {}, members = {}, message, name }: Refusal,
  path: string
): HttpAnswer => {
  const { status, title } = refusals[name]
  return json(status, {
    message,
    type: problemType(name),
    title,
    status,
    detail: message,
    instance: uriReference(path),
    ...members,
    ...faults === undefined
      ? {}
      : { errors: faults.map(({ line, ...fault }) => ({ in: "body", line, ...fault })) }
  }, headers)
}

/** Returns an answer in JSON. A bigint becomes a decimal string, as in a feed. */
export const json = (
  status: number,
  value: unknown,
  headers: HttpAnswer["headers"] = {}
): HttpAnswer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(
    value,
    (_, member: unknown) => typeof member === "bigint" ? String(member) : member
  )
})

export const retryLater = { "retry-after": "1" } as const
export const neverCached = { "cache-control": "no-store" } as const

/** Answers a failure with a refusal. */
export const orRefusal = (
  answer: Effect.Effect<HttpAnswer, Refusal | StoreFailure>,
  path: string
): Effect.Effect<HttpAnswer> =>
  Effect.catch(
    answer,
    (failure) => Effect.succeed(refusal("_tag" in failure ? storeFailure(failure) : failure, path))
  )

/** Returns the refusal for a failure of the store. */
export const storeFailure = ({ message, retry }: StoreFailure, line?: number): Refusal => ({
  name: retry ? "unavailable" : "internal",
  message: `${line === undefined ? "" : `Line ${line}: `}${message}`,
  ...retry ? { headers: retryLater } : {},
  ...line === undefined ? {} : { members: { line } }
})
