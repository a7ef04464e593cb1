import { problems, problemType } from "../http/mod.ts"

/** An answer of the admin listener. */
export interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** The reason why a request is refused. */
export interface Refusal {
  readonly name: RefusalName
  /** One sentence for a person. */
  readonly message: string
  readonly faults?: ReadonlyArray<RecordFault>
  readonly headers?: { readonly [name: string]: string }
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

/** The problems of the admin listener by name, with the status and the title of their answers. */
const refusals = {
  "malformed-request": problems["malformed-request"],
  "invalid-record": { status: 400, title: "A record does not have the required form" },
  "unauthorized": { status: 401, title: "The request has no valid token" },
  "unknown-path": problems["unknown-path"],
  "not-found": problems["not-found"],
  "method-not-allowed": problems["method-not-allowed"],
  "request-timeout": problems["request-timeout"],
  "ledger-elsewhere": { status: 412, title: "The last block of the ledger is different" },
  "body-too-large": { status: 413, title: "The body, or a line of it, is too large" },
  "unsupported-media-type": { status: 415, title: "The type of the body is not supported" },
  "headers-too-large": problems["headers-too-large"],
  "block-violation": { status: 422, title: "A record contradicts the ledger or itself" },
  "precondition-required": {
    status: 428,
    title: "The record requires a precondition, because it must not be applied twice"
  },
  "internal": problems.internal,
  "unavailable": problems.unavailable
} as const satisfies {
  readonly [name: string]: { readonly status: number; readonly title: string }
}

export type RefusalName = keyof typeof refusals

/** Returns the answer to a refused request: a problem object, as the public interface has. */
export const refusal = (
  { faults, headers = {}, members = {}, message, name }: Refusal,
  path: string
): Reply => {
  const { status, title } = refusals[name]
  return json(status, {
    message,
    type: problemType(name),
    title,
    status,
    detail: message,
    instance: path,
    ...members,
    ...faults === undefined
      ? {}
      : { errors: faults.map(({ line, ...fault }) => ({ in: "body", line, ...fault })) }
  }, headers)
}

/** Returns an answer in JSON. A bigint becomes a decimal string, as in a feed. */
export const json = (status: number, value: unknown, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(
    value,
    (_, member: unknown) => typeof member === "bigint" ? String(member) : member
  )
})

export const retryLater = { "retry-after": "1" } as const
