import { Data, Effect, Result } from "effect"
import {
  BadInput,
  type Body,
  bodyReader,
  brokenBody,
  type InputFault,
  noQuery,
  type Revision,
  type WireContext,
  type WriteOperation,
  type WriteOperationId,
  writeOperations
} from "../../../core/contract/mod.ts"
import type { Submission, SubmissionFailure } from "../../../core/use_cases/mod.ts"
import {
  unreadableBody,
  type HttpLimits,
  type HttpRequest,
  type Problem,
  utf8Text
} from "../message/mod.ts"

/** The body of a request cannot be read: it is too long, malformed or of an unsupported type. */
export class BodyReadError
  extends Data.TaggedError("BodyReadError")<{ readonly problem: Problem }>
{}

export type PostFailure = BadInput | BodyReadError | SubmissionFailure

/** Runs the use case for a request; returns the body of the answer, which may be empty. */
export type PostHandler = (
  query: string,
  request: HttpRequest
) => Effect.Effect<string, PostFailure>

export interface PostHandlerOptions {
  readonly revision: Revision
  readonly context: WireContext
  readonly submission: Submission["Service"]
  readonly limits: HttpLimits
}

/** Returns the handler of each write operation of one revision. */
export const makePostHandlers = (
  options: PostHandlerOptions
): { readonly [Id in WriteOperationId]: PostHandler } => {
  const { revision: { authorizationAnswer, bodies }, submission } = options
  return {
    postTx: makePostHandler(
      "postTx",
      bodies.transaction,
      options,
      (posted) => Effect.map(submission.submitTransaction(posted), ({ id }) => JSON.stringify(id))
    ),
    postRegister: makePostHandler(
      "postRegister",
      bodies.authorization,
      options,
      (posted) =>
        Effect.as(
          submission.submitAuthorization(posted),
          authorizationAnswer === undefined ? "" : JSON.stringify({ success: "OK" })
        )
    )
  }
}

const makePostHandler = <T>(
  id: WriteOperationId,
  body: Body<T>,
  { context, limits }: PostHandlerOptions,
  submit: (posted: T) => Effect.Effect<string, PostFailure>
): PostHandler => {
  const read = bodyReader(body, context, limits)
  const { path }: WriteOperation = writeOperations[id]
  return (query, request) => {
    const problem = unsupportedType(request, path)
    if (problem !== undefined) return Effect.fail(new BodyReadError({ problem }))
    return Effect.flatMap(bytesOf(request, limits), (bytes): Effect.Effect<string, PostFailure> => {
      const text = utf8Text(bytes)
      const posted = text === undefined ? Result.fail([notUtf8]) : read(text)
      const faults = [
        ...(query === "" ? [] : noQuery(query)),
        ...(Result.isFailure(posted) ? posted.failure : [])
      ]
      return Result.isSuccess(posted) && faults.length === 0
        ? submit(posted.success)
        : Effect.fail(new BadInput({ faults: faults as [InputFault, ...Array<InputFault>] }))
    })
  }
}

const bytesOf = (
  { body }: HttpRequest,
  limits: HttpLimits
): Effect.Effect<Uint8Array, BodyReadError> =>
  body === undefined
    ? Effect.succeed(new Uint8Array())
    : Effect.mapError(
      body(limits.bodyBytesMax),
      (name) => new BodyReadError({ problem: unreadableBody(name, limits) })
    )

/** Returns the problem if the headers do not declare uncompressed JSON in UTF-8. */
const unsupportedType = ({ headers }: HttpRequest, path: string): Problem | undefined => {
  const type = String(headers["content-type"] ?? "")
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/iu.exec(type)?.[1]
  const encoding = String(headers["content-encoding"] ?? "identity")
  const unsupported = (reason: string): Problem => ({
    name: "unsupported-media-type",
    message: `${reason}: post JSON in UTF-8 to ${path}, as Content-Type: application/json`
  })
  if (!/^application\/json\s*(?:;|$)/iu.test(type)) {
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
