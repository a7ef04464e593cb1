import { Cause, Option, type Types } from "effect"
import type { HttpServerError } from "effect/http"
import type { JournalError } from "../../adapters/journal/mod.ts"
import type { DatabaseError } from "../../adapters/sql/mod.ts"
import {
  type BadInput,
  type BlockViolation,
  type InputFault,
  type NotRegistered,
  notRegisteredMessage,
  type PoolFull,
  type StoreFailure,
  type SubmissionConflict,
  type SubmissionRefused,
  type VerifierBusy
} from "../../core/mod.ts"
import { messageOfAll, type Violation } from "../../core/contract/mod.ts"

/** A failure of the core or of an adapter. */
export type Failure =
  | BadInput
  | BlockViolation
  | DatabaseError
  | HttpServerError.ServeError
  | JournalError
  | NotRegistered
  | PoolFull
  | StoreFailure
  | SubmissionConflict
  | SubmissionRefused
  | VerifierBusy

/**
 * The reason of a rejection.
 *
 * - `BadInput`: an argument is invalid
 * - `BlockViolation`: a block, rollback or price violates an invariant of the ledger
 * - `NotRegistered`: a filter names a token, account or batch that was never registered
 * - `SubmissionRefused`: a posted transaction or authorization violates rules
 * - `SubmissionConflict`: another one is stored under the same id or address
 * - `PoolFull`, `VerifierBusy`: a limit is reached; retry after `retryAfterSeconds`
 * - `StoreFailure`: the store failed, or another process writes the ledger
 * - `JournalError`: the directory cannot be used; `reason` says why
 * - `DatabaseError`: the database cannot be used; `reason` says why
 * - `ServeError`: the port cannot be listened on
 * - `NodeClosed`: the node was closed
 * - `Aborted`: the signal of the caller was aborted
 * - `Unexpected`: an error in this program
 */
export type NodeErrorTag = Types.Tags<Failure> | "NodeClosed" | "Aborted" | "Unexpected"

type NodeErrorFields = Partial<Omit<NodeError, "name" | "message" | "stack" | "_tag" | "toJSON">>

/**
 * The error of each rejection of an embedded node. `cause` is the error of a store or of this program,
 * with further details; the violations of an input have none.
 *
 * ```ts
 * import { NodeError, openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const error = await node.rollBack(7n).catch((error: unknown) => error)
 * if (error instanceof NodeError) {
 *   console.log(error._tag, error.retry) // => BlockViolation false
 *   console.log(error.violations[0]?.path, error.violations[0]?.value) // => /toBlock 7
 * }
 * await node.close()
 * ```
 */
export class NodeError extends Error {
  override readonly name = "NodeError"
  /** Why the call was rejected. */
  readonly _tag: NodeErrorTag
  /** Whether the same call may succeed later. */
  readonly retry: boolean
  /** The time after which to retry; null if it is unknown. */
  readonly retryAfterSeconds: number | null
  /** Everything that the input violates; empty if the input was not the reason. */
  readonly violations: ReadonlyArray<Violation>
  /** The reason of a `JournalError` or `DatabaseError`; null for other errors. */
  readonly reason: string | null
  /**
   * Whether another process may have written the ledger since the last write of this node: read the
   * state before the next write.
   */
  readonly writerChanged: boolean

  constructor(tag: NodeErrorTag, message: string, fields: NodeErrorFields = {}) {
    super(message, "cause" in fields ? { cause: fields.cause } : {})
    this._tag = tag
    this.retry = fields.retry ?? false
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null
    this.violations = fields.violations ?? []
    this.reason = fields.reason ?? null
    this.writerChanged = fields.writerChanged ?? false
    // the message has them: printed again, they would hide it
    Object.defineProperty(this, "violations", { enumerable: false })
  }

  toJSON(): object {
    const { _tag, message, reason, retry, retryAfterSeconds, violations, writerChanged } = this
    return { _tag, message, retry, retryAfterSeconds, reason, writerChanged, violations }
  }
}

/** Returns the error for invalid input. */
export const badInput = (violations: ReadonlyArray<Violation>): NodeError =>
  new NodeError("BadInput", messageOfAll(violations), { violations })

/** Returns the error for the cause of a failed call. */
export const errorOfCause = (cause: Cause.Cause<Failure | NodeError>): NodeError => {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  if (failure instanceof NodeError) return failure
  if (failure !== undefined) return errorOf(failure)
  if (Cause.hasInterruptsOnly(cause)) return new NodeError("Aborted", "The call was aborted")
  const defect = Cause.squash(cause)
  return new NodeError("Unexpected", `Unexpected error: ${reasonOf(defect)}`, { cause: defect })
}

/** The supported versions of Node: `engines` in package.json. */
const supportedNode = "22.19, 24, 26 or a later release of these majors"

/**
 * Throws a `NodeError` if this version of Node is not supported.
 *
 * @param version undefined in a browser
 */
export const checkNodeVersion = (
  version = globalThis.process?.versions?.node as string | undefined
): void => {
  const [major = 0, minor = 0] = (version ?? "22.19").split(".").map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return
  throw new NodeError(
    "Unexpected",
    `Node ${version} is too old: rollup-node-api needs Node ${supportedNode}`
  )
}

const errorOf = (failure: Failure): NodeError => {
  const { _tag: tag, message } = failure
  switch (failure._tag) {
    case "BadInput":
      return badInput(failure.faults.map(violationOf))
    case "SubmissionRefused":
    case "SubmissionConflict":
      return new NodeError(tag, message, { violations: failure.faults.map(violationOf) })
    case "BlockViolation": {
      const { expected: rule, pointer: path, value } = failure
      return new NodeError(tag, message, { violations: [{ path, value, rule, message }] })
    }
    case "NotRegistered": {
      const violations = failure.things.map((thing): Violation => ({
        path: `/filters/${thing.filter}`,
        value: String(thing.value),
        rule: `a registered ${thing.kind}`,
        message: notRegisteredMessage(thing)
      }))
      return new NodeError(tag, message, { violations })
    }
    case "PoolFull":
    case "VerifierBusy":
      return new NodeError(tag, message, {
        retry: true,
        retryAfterSeconds: failure.retryAfterSeconds,
        cause: failure
      })
    case "StoreFailure":
      return new NodeError(tag, message, {
        retry: failure.retry,
        writerChanged: failure.writerChanged === true,
        cause: failure
      })
    case "JournalError":
    case "DatabaseError":
      return new NodeError(tag, message, {
        retry: failure.reason === "inUse" || failure.reason === "unreachable",
        reason: failure.reason,
        cause: failure
      })
    case "ServeError":
      return new NodeError(tag, `The port cannot be listened on: ${reasonOf(failure.cause)}`, {
        retry: true,
        cause: failure
      })
  }
}

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

const violationOf = ({ message, parameter, rule, value }: InputFault): Violation => ({
  path: pointerOf(parameter),
  value,
  rule,
  message
})

const pointerOf = (parameter: string): string =>
  parameter === "" || parameter.startsWith("/")
    ? parameter
    : `/${parameter.replaceAll(".", "/")}`
