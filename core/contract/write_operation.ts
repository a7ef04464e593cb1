import type { BodyName } from "./bodies/mod.ts"
import type { Operation } from "./operation.ts"

/** An operation that posts one body. */
export interface WriteOperation extends Pick<Operation, "path" | "tag" | "summary"> {
  readonly body: BodyName
  /** Content of the answer with status 200: the identifier as a JSON string, or an empty body. */
  readonly answer: "transactionId" | "nothing"
  /** Declared statuses besides 200. */
  readonly statuses: ReadonlyArray<400 | 500>
}

/** The write operations by identifier. They are idempotent: a repeated post gets the same answer. */
export const writeOperations = {
  postRegister: {
    path: "/account-creation-authorization",
    body: "authorization",
    answer: "nothing",
    tag: "Account",
    summary: "Submit an authorization to create accounts for a key",
    statuses: [400, 500]
  },
  postTx: {
    path: "/transactions-pool",
    body: "transaction",
    answer: "transactionId",
    tag: "Transaction",
    summary: "Submit a signed transaction",
    statuses: [400, 500]
  }
} as const satisfies { readonly [id: string]: WriteOperation }

export type WriteOperationId = keyof typeof writeOperations
export const writeOperationIds = Object.keys(writeOperations) as ReadonlyArray<WriteOperationId>
