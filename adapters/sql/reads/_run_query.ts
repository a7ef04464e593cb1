import { Effect } from "effect"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { readAnswer, type SqlAnswer, storeFailure, type Values } from "../connection/mod.ts"
import { TokenCache, type Tokens } from "./_token_cache.ts"

/** A statement with its parameters, as texts: PostgreSQL reads them as the types that the statement names. */
export interface Question {
  readonly text: string
  readonly parameters: ReadonlyArray<string | null>
}

/**
 * Asks until the process knows the tokens of the answer's own version, and the answer can be read: `read` returns another question
 * where the one that was asked rested on something that has changed since.
 */
export type Ask = <A>(
  question: Question,
  read: (answer: SqlAnswer, tokens: Tokens) => A | Again
) => Effect.Effect<A, StoreFailure>

/** What to ask instead. */
export class Again {
  readonly question: Question
  constructor(question: Question) {
    this.question = question
  }
}

/** Each further attempt takes a change of the ledger between two statements; so many of them in a row do not happen. */
const attemptsMax = 20

export const makeAsk = (values: Values): Ask => {
  const cache = new TokenCache(values)
  const attempt = <A>(
    question: Question,
    read: (answer: SqlAnswer, tokens: Tokens) => A | Again,
    attempts: number
  ): Effect.Effect<A, StoreFailure> =>
    Effect.flatMap(
      Effect.mapError(values(question.text, question.parameters), storeFailure),
      (rows) => {
        const answer = readAnswer(rows)
        const known = cache.find(answer.tokenVersion)
        const reading = (tokens: Tokens | undefined): Effect.Effect<A, StoreFailure> => {
          const answered = tokens === undefined ? new Again(question) : read(answer, tokens)
          if (!(answered instanceof Again)) return Effect.succeed(answered)
          return attempts === attemptsMax
            ? Effect.fail(restless)
            : attempt(answered.question, read, attempts + 1)
        }
        return known !== undefined
          ? reading(known)
          : Effect.flatMap(Effect.mapError(cache.load(answer.tokenVersion), storeFailure), reading)
      }
    )
  return (question, read) => Effect.suspend(() => attempt(question, read, 1))
}

const restless = new StoreFailure({
  message: `The ledger changed ${attemptsMax} times while one question was asked: try again`,
  retry: true
})
