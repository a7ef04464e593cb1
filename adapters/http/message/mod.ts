/** Requests, answers and problems, independent of the transport. */
export {
  answerHeaders,
  cacheControl,
  type HeaderRecord,
  makeHeaders,
  notModifiedHeaders,
  preflightHeaders
} from "./headers.ts"
export { defaultLimits, type HttpLimits, type LimitName } from "./limit.ts"
export {
  type Admission,
  type AnswerStats,
  bodyBytes,
  type HttpAnswer,
  type HttpRequest,
  largeBytes,
  withoutBody
} from "./message.ts"
export {
  badInput,
  busy,
  submissionConflict,
  internal,
  notFound,
  notRegistered,
  overloaded,
  poolFull,
  type Problem,
  problemJson,
  type ProblemName,
  problems,
  problemSchema,
  problemType,
  rateLimited,
  submissionRefused,
  unavailable,
  withFaults
} from "./problem.ts"
export { unreadableBody, exceededLimit, readUndeclaredBody } from "./request_limits.ts"
export { utf8Body, utf8Text } from "./utf8.ts"
