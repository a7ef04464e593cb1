import { problems, problemType } from "../http/mod.ts"

/** An answer of the admin listener. */
export interface Reply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

/** Why a request was refused, with whatever else its answer tells. */
export interface Refusal {
  readonly name: RefusalName
  /** One sentence for a person. */
  readonly message: string
  readonly faults?: ReadonlyArray<RecordFault>
  readonly headers?: { readonly [name: string]: string }
  /** More members of the answer. */
  readonly told?: { readonly [name: string]: unknown }
}

/** A rule that a record breaks. */
export interface RecordFault {
  /** From 1, as editors count; blank lines count too. */
  readonly line: number
  /** JSON pointer into the record. */
  readonly pointer: string
  readonly value: string | null
  readonly rule: string
  readonly message: string
  /** The invariant of the ledger that is violated, where it is one. */
  readonly invariant?: string
}

/** Every way in which the admin listener refuses: the one table from reason to status. */
const refusals = {
  "malformed-request": problems["malformed-request"],
  "invalid-record": { status: 400, title: "A record has not the form that it should have" },
  "unauthorized": { status: 401, title: "The request has no valid token" },
  "unknown-path": problems["unknown-path"],
  "not-found": problems["not-found"],
  "method-not-allowed": problems["method-not-allowed"],
  "request-timeout": problems["request-timeout"],
  "ledger-elsewhere": { status: 412, title: "The last block of the ledger is another one" },
  "body-too-large": { status: 413, title: "The body, or a line of it, is too large" },
  "unsupported-media-type": { status: 415, title: "The body is of a type that is not read" },
  "headers-too-large": problems["headers-too-large"],
  "block-violation": { status: 422, title: "A record contradicts the ledger or itself" },
  "precondition-required": {
    status: 428,
    title: "A record that must not be applied twice needs a precondition"
  },
  "internal": problems.internal,
  "unavailable": problems.unavailable
} as const satisfies {
  readonly [name: string]: { readonly status: number; readonly title: string }
}

export type RefusalName = keyof typeof refusals

/** One refusal as the JSON object that every refusal of the interface is. */
export const refusal = (
  { faults, headers = {}, message, name, told = {} }: Refusal,
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
    ...told,
    ...faults === undefined
      ? {}
      : { errors: faults.map(({ line, ...fault }) => ({ in: "body", line, ...fault })) }
  }, headers)
}

/** Amounts and block numbers are strings, as they are in a feed. */
export const json = (status: number, value: unknown, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(
    value,
    (_, member: unknown) => typeof member === "bigint" ? String(member) : member
  )
})

export const retryLater = { "retry-after": "1" } as const
