import { Effect, Exit } from "effect"
import { Submission, type SubmissionFailure } from "../../core/mod.ts"
import type { Channel } from "./_channel.ts"
import type { Answer, Question } from "./message.ts"

/** Answers what the others were asked, for as long as the scope lives. */
export const answerQuestions = (channel: Channel) =>
  Effect.gen(function*() {
    const submission = yield* Submission
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const submit = (question: Question): Effect.Effect<unknown, SubmissionFailure> =>
      question.kind === "transaction" ? submission.submitTransaction(question.posted) : submission.submitAuthorization(question.posted)
    channel.on("ask", ({ id, of, question }) => void run(Effect.flatMap(Effect.exit(submit(question)), (exit) => {
      const answer = answerOf(exit)
      const said = Effect.sync(() => channel.send({ kind: "answer", to: of, id, answer }))
      return answer.kind === "unavailable" && Exit.isFailure(exit) ? Effect.andThen(Effect.logError("A post failed", exit.cause), said) : said
    })))
  })

const answerOf = (exit: Exit.Exit<unknown, SubmissionFailure>): Answer => {
  if (Exit.isSuccess(exit)) return { kind: "success", value: exit.value }
  const failure = Exit.findErrorOption(exit)
  return failure._tag === "Some" ? { kind: "failure", failure: membersOf(failure.value) } : { kind: "unavailable" }
}

/** What can be sent: a cause may be anything. */
const membersOf = (failure: SubmissionFailure): { readonly _tag: string } => {
  switch (failure._tag) {
    case "SubmissionRefused":
    case "SubmissionConflict":
      return pick(failure, "_tag", "faults")
    case "PoolFull":
      return pick(failure, "_tag", "pendingMax", "retryAfterSeconds")
    case "VerifierBusy":
      return pick(failure, "_tag", "retryAfterSeconds")
    case "StoreFailure":
      return pick(failure, "_tag", "message", "retry")
  }
}

const pick = <T, K extends keyof T>(from: T, ...names: ReadonlyArray<K>): Pick<T, K> => Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>
