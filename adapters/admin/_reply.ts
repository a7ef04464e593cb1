import type { StoreFailure } from "../../core/mod.ts"
import { type LineFault, problemObject } from "../http/message/mod.ts"
import { type Problem, problems, problemType, type WholeAnswer } from "../http/mod.ts"

/** The reason why a request is refused. */
export interface Refusal extends Omit<Problem, "name" | "faults"> {
  readonly name: keyof typeof refusals
  readonly faults?: ReadonlyArray<LineFault>
  /** Additional members of the answer. */
  readonly members?: { readonly [name: string]: unknown }
}

/** A rule that a record violates; `parameter` is a JSON pointer into the record. */
export interface RecordFault extends LineFault {
  readonly in: "body"
  readonly line: number
}

/** The problems of the public interface, and those of the admin listener alone. */
export const refusals = {
  ...problems,
  "invalid-record": { status: 400, title: "A record does not have the required form" },
  "unauthorized": { status: 401, title: "The request has no valid token" },
  "ledger-elsewhere": { status: 412, title: "The last block of the ledger is different" },
  "block-violation": { status: 422, title: "A record contradicts the ledger or itself" },
  "precondition-required": {
    status: 428,
    title: "The record requires a precondition, because it must not be applied twice"
  }
} as const

/** Returns the answer to a refused request: a problem object, as the public interface has. */
export const refusal = (problem: Refusal, url: string): WholeAnswer => {
  const { headers, members, name } = problem
  const kind = refusals[name]
  const type = { type: problemType(name) }
  return json(kind.status, problemObject(problem, kind, url, type, members), headers)
}

/** Returns an answer in JSON. A bigint becomes a decimal string, as in a feed. */
export const json = (
  status: number,
  value: unknown,
  headers: WholeAnswer["headers"] = {}
): WholeAnswer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(
    value,
    (_, member: unknown) => typeof member === "bigint" ? String(member) : member
  )
})

export const retryLater = { "retry-after": "1" } as const
export const neverCached = { "cache-control": "no-store" } as const

/** Returns the refusal for a failure of the store. */
export const storeFailure = ({ message, retry }: StoreFailure, line?: number): Refusal => ({
  name: retry ? "unavailable" : "internal",
  message: `${line === undefined ? "" : `Line ${line}: `}${message}`,
  ...retry ? { headers: retryLater } : {},
  ...line === undefined ? {} : { members: { line } }
})
