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
  bodyUnread,
  type HttpLimits,
  type HttpRequest,
  type Problem,
  utf8Text
} from "../message/mod.ts"

/** A body that could not even be read. */
export class Unread extends Data.TaggedError("Unread")<{ readonly problem: Problem }> {}

export type PostFailure = BadInput | Unread | SubmissionFailure

/** Takes a request to the use case; the text of the answer, empty where it has none. */
export type Posting = (query: string, request: HttpRequest) => Effect.Effect<string, PostFailure>

export interface PostingOptions {
  readonly revision: Revision
  readonly context: WireContext
  readonly submission: Submission["Service"]
  readonly limits: HttpLimits
}

/** Binds every posting operation of one revision to the use case. */
export const makePostings = (
  options: PostingOptions
): { readonly [Id in WriteOperationId]: Posting } => {
  const { revision: { bodies }, submission } = options
  return {
    postTx: posting(
      "postTx",
      bodies.transaction,
      options,
      (posted) => Effect.map(submission.submitTransaction(posted), ({ id }) => JSON.stringify(id))
    ),
    postRegister: posting(
      "postRegister",
      bodies.authorization,
      options,
      (posted) => Effect.as(submission.submitAuthorization(posted), "")
    )
  }
}

const posting = <T>(
  id: WriteOperationId,
  body: Body<T>,
  { context, limits }: PostingOptions,
  submit: (posted: T) => Effect.Effect<string, PostFailure>
): Posting => {
  const read = bodyReader(body, context, limits)
  const { path }: WriteOperation = writeOperations[id]
  return (query, request) => {
    const refused = unsupportedType(request, path)
    if (refused !== undefined) return Effect.fail(new Unread({ problem: refused }))
    return Effect.flatMap(bytesOf(request, limits), (bytes): Effect.Effect<string, PostFailure> => {
      const text = utf8Text(bytes)
      const posted = text === undefined ? Result.fail([noUtf8]) : read(text)
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

const bytesOf = ({ body }: HttpRequest, limits: HttpLimits): Effect.Effect<Uint8Array, Unread> =>
  body === undefined
    ? Effect.succeed(new Uint8Array())
    : Effect.mapError(
      body(limits.bodyBytesMax),
      (name) => new Unread({ problem: bodyUnread(name, limits) })
    )

/** JSON is UTF-8 and nothing else, and nothing here unpacks. */
const unsupportedType = ({ headers }: HttpRequest, path: string): Problem | undefined => {
  const type = String(headers["content-type"] ?? "")
  const charset = /;\s*charset\s*=\s*"?([^;"\s]*)/iu.exec(type)?.[1]
  const encoding = String(headers["content-encoding"] ?? "identity")
  const told = (
    what: string
  ) => ({
    name: "unsupported-media-type",
    message: `${what}: post JSON in UTF-8 to ${path}, as Content-Type: application/json`
  } as const)
  if (!/^application\/json\s*(?:;|$)/iu.test(type)) {
    return told(
      type === ""
        ? "The header Content-Type is missing"
        : `Content-Type ${JSON.stringify(type.slice(0, 100))} is not read`
    )
  }
  if (charset !== undefined && !/^utf-?8$/iu.test(charset)) {
    return told(`Charset ${JSON.stringify(charset.slice(0, 100))} is not read`)
  }
  return encoding.toLowerCase() === "identity"
    ? undefined
    : told(`Content-Encoding ${JSON.stringify(encoding.slice(0, 100))} is not read`)
}

const noUtf8: InputFault = brokenBody(
  null,
  null,
  "UTF-8",
  "The body is not UTF-8: expected JSON in UTF-8"
)
