import { Effect } from "effect"
import { PoolFull, StoreFailure, type Submission, SubmissionConflict, type SubmissionFailure, SubmissionRefused, VerifierBusy } from "../../core/mod.ts"
import type { Channel } from "./_channel.ts"
import type { Answer, Question } from "./message.ts"

/** How long a post waits for the writer; whoever posts may do it again. */
const patienceMs = 30_000

/** Takes what wallets post to the writer of the group, and brings back what it says. Without a writer the store is not there for now. */
export const remoteSubmission = (channel: Channel): Submission["Service"] => {
  let asked = 0
  const waiting = new Map<number, (answer: Answer) => void>()
  channel.on("answer", ({ answer, id }) => waiting.get(id)?.(answer))
  channel.on("writerGone", () => {
    for (const resume of waiting.values()) resume({ kind: "unavailable" })
  })
  const ask = (question: Question) =>
    Effect.callback<Answer>((resume) => {
      const id = ++asked
      waiting.set(id, (answer) => {
        waiting.delete(id)
        resume(Effect.succeed(answer))
      })
      channel.send({ kind: "ask", id, question })
      return Effect.sync(() => void waiting.delete(id))
    }).pipe(Effect.timeoutOrElse({ duration: patienceMs, orElse: () => Effect.succeed<Answer>({ kind: "unavailable" }) }))
  const submit = <A>(question: Question) => Effect.flatMap(ask(question), (answer): Effect.Effect<A, SubmissionFailure> => {
    switch (answer.kind) {
      case "success":
        return Effect.succeed(answer.value as A)
      case "failure":
        return Effect.fail(failureOf(answer.failure as SubmissionFailure))
      case "unavailable":
        return Effect.fail(new StoreFailure({ retry: true, message: "The process that writes is not there, expected it back soon: try again" }))
    }
  })
  return {
    submitTransaction: (posted) => submit({ kind: "transaction", posted }),
    // nothing fills up with authorizations
    submitAuthorization: (posted) => submit({ kind: "authorization", posted }) as ReturnType<Submission["Service"]["submitAuthorization"]>
  }
}

const failureOf = (members: SubmissionFailure): SubmissionFailure => {
  switch (members._tag) {
    case "SubmissionRefused":
      return new SubmissionRefused(members)
    case "SubmissionConflict":
      return new SubmissionConflict(members)
    case "PoolFull":
      return new PoolFull(members)
    case "VerifierBusy":
      return new VerifierBusy(members)
    case "StoreFailure":
      return new StoreFailure({ message: members.message, retry: members.retry })
  }
}
