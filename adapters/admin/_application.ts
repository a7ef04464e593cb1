import { Cause, Effect } from "effect"
import {
  type AnswerStats,
  Application,
  defaultLimits,
  type HttpAnswer,
  type HttpRequest,
  type Problem
} from "../http/mod.ts"
import { withoutBody } from "../http/message/mod.ts"
import { refusal } from "./_reply.ts"
import type { AdminLimitHits, AdminLimits } from "./limit.ts"

/** Returns the admin interface as an application that a server of the HTTP interface serves. */
export const adminApplication = (
  reply: (request: HttpRequest) => Effect.Effect<HttpAnswer>,
  { adminHeaderBytesMax }: AdminLimits,
  hits: AdminLimitHits
): Application["Service"] =>
  Application.of({
    handle: (request) => {
      const answer = Effect.catchCause(Effect.suspend(() => reply(request)), (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(
            Effect.logError("A request to the admin listener failed", cause),
            refusal(internal, request.url)
          ))
      return request.method === "HEAD" ? Effect.map(answer, withoutBody) : answer
    },
    refuse: (problem) =>
      Effect.sync(() => {
        countHit(problem, hits)
        return refusal({ name: problem.name, message: problem.message }, "")
      }),
    // the parser of the server refuses twice the sum of both
    limits: { ...defaultLimits, urlBytesMax: 0, headerBytesMax: adminHeaderBytesMax / 2 },
    answerStats: noAnswers
  })

const noAnswers = (): AnswerStats => ({
  entries: 0,
  bytes: 0,
  bytesMax: 0,
  hits: 0,
  misses: 0,
  shared: 0,
  notModified: 0,
  evictions: 0,
  encodings: new Map()
})

const internal = {
  name: "internal",
  message: "An internal error occurred: the log contains the cause"
} as const

const countHit = ({ limit }: Problem, hits: AdminLimitHits): void => {
  if (limit === "headerBytesMax") hits.adminHeaderBytesMax++
  if (limit === "headersTimeoutMs") hits.adminHeadersTimeoutMs++
}
