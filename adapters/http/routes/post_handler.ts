import { Effect, Result } from "effect"
import {
  BadInput,
  type AnyWriteOperationId,
  type Body,
  brokenBody,
  type InputFault,
  noQuery,
  pathReader,
  type Revision,
  type WireContext,
  referencesReader,
  type WriteOperation,
  writeOperationsOf
} from "../../../core/contract/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import type { PostedGroup, PostedTransaction } from "../../../core/domain/mod.ts"
import type { PostRules, Submission } from "../../../core/use_cases/mod.ts"
import {
  BodyReadError,
  type HttpLimits,
  type HttpRequest,
  type PostFailure,
  type Problem,
  readBody,
  utf8Text
} from "../message/mod.ts"

/**
 * Runs the use case for a request; returns the body of the answer, which may be empty. Path values
 * and query are percent-encoded.
 */
export type PostHandler = (
  path: ReadonlyArray<string>,
  query: string,
  request: HttpRequest
) => Effect.Effect<string, PostFailure>

export interface PostHandlerOptions {
  readonly revision: Revision
  readonly context: WireContext
  readonly submission: Submission["Service"]
  readonly limits: HttpLimits
}

/** Returns the handlers of the write operations of one revision. */
export const makePostHandlers = (
  options: PostHandlerOptions
): { readonly [Id in AnyWriteOperationId]?: PostHandler } => {
  const { revision } = options
  const submits = submissions(options)
  return Object.fromEntries(
    writeOperationsOf(revision).map(([id, operation]) => [
      id,
      makePostHandler(
        operation,
        revision.bodies[operation.body] as Body<unknown>,
        options,
        submits[id]
      )
    ])
  )
}

/** Submits what a body contains, for the decoded values of the path. */
type Submit = (
  posted: never,
  path: never,
  rules: PostRules
) => Effect.Effect<string, PostFailure>

const submissions = (
  { revision: { authorizationAnswer }, submission }: PostHandlerOptions
): { readonly [Id in AnyWriteOperationId]: Submit } => {
  const idOf = Effect.map(({ id }: { readonly id: TransactionId }) => JSON.stringify(id))
  return {
    postTx: (posted: PostedTransaction, _, rules) =>
      idOf(submission.submitTransaction(posted, rules)),
    postRegister: (posted) =>
      Effect.as(
        submission.submitAuthorization(posted),
        authorizationAnswer === undefined ? "" : JSON.stringify({ success: "OK" })
      ),
    putTx: (posted: PostedTransaction, [id]: readonly [TransactionId], rules) =>
      idOf(submission.replaceTransaction(id, posted, rules)),
    putTxOfNonce: (
      posted: PostedTransaction,
      [fromAccountIndex, nonce]: readonly [AccountIndex, bigint],
      rules
    ) => idOf(submission.replaceTransaction({ fromAccountIndex, nonce }, posted, rules)),
    postAtomicGroup: (posted: PostedGroup, _, rules) =>
      Effect.map(submission.submitGroup(posted, rules), ({ ids }) => JSON.stringify(ids))
  }
}

const makePostHandler = (
  { parameters, path }: WriteOperation,
  body: Body<unknown>,
  { context, limits, revision }: PostHandlerOptions,
  submit: Submit
): PostHandler => {
  const { acceptsOwnerAddress = false, requestRules, symbols } = revision
  const read = referencesReader(body, context, { ...limits, rules: requestRules })
  const readPath = pathReader(parameters, context, requestRules.spelling)
  return (segments, query, request) => {
    const problem = unsupportedType(
      request,
      jsonType,
      `post JSON in UTF-8 to ${path}, as Content-Type: application/json`
    )
    if (problem !== undefined) return Effect.fail(new BodyReadError({ problem }))
    return Effect.flatMap(
      readBody(request, limits),
      (bytes): Effect.Effect<string, PostFailure> => {
        const text = utf8Text(bytes)
        const posted = text === undefined ? Result.fail([notUtf8]) : read(text)
        const values = readPath(segments)
        const faults = [
          ...(Result.isFailure(values) ? values.failure : []),
          ...noQuery(query, requestRules),
          ...(Result.isFailure(posted) ? posted.failure : [])
        ]
        return Result.isSuccess(posted) && Result.isSuccess(values) && faults.length === 0
          ? submit(
            posted.success.posted as never,
            values.success as never,
            {
              acceptsOwnerAddress,
              references: symbols === undefined ? posted.success.references : {}
            }
          )
          : Effect.fail(new BadInput({ faults: faults as [InputFault, ...Array<InputFault>] }))
      }
    )
  }
}

const jsonType = /^application\/json\s*(?:;|$)/iu

/**
 * Returns the problem if the headers do not declare an uncompressed body of a type in UTF-8.
 *
 * @param advice says what to send
 */
export const unsupportedType = (
  { headers }: HttpRequest,
  accepted: RegExp,
  advice: string
): Problem | undefined => {
  const type = String(headers["content-type"] ?? "")
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/iu.exec(type)?.[1]
  const encoding = String(headers["content-encoding"] ?? "identity")
  const unsupported = (reason: string): Problem => ({
    name: "unsupported-media-type",
    message: `${reason}: ${advice}`
  })
  if (!accepted.test(type)) {
    return unsupported(
      type === ""
        ? "The header Content-Type is missing"
        : `Content-Type ${JSON.stringify(type.slice(0, 100))} is not supported`
    )
  }
  if (charset !== undefined && !/^utf-?8$/iu.test(charset)) {
    return unsupported(`Charset ${JSON.stringify(charset.slice(0, 100))} is not supported`)
  }
  return encoding.toLowerCase() === "identity"
    ? undefined
    : unsupported(`Content-Encoding ${JSON.stringify(encoding.slice(0, 100))} is not supported`)
}

const notUtf8: InputFault = brokenBody(
  null,
  null,
  "UTF-8",
  "The body is not UTF-8: expected JSON in UTF-8"
)
