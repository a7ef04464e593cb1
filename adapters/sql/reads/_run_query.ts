import { Effect } from "effect"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { readAnswer, type SqlAnswer, storeFailure, type Values } from "../connection/mod.ts"
import { TokenCache, type Tokens } from "./_token_cache.ts"

/** A statement and its parameters in text format; the statement casts them. */
export interface Question {
  readonly text: string
  readonly parameters: ReadonlyArray<string | null>
}

/**
 * Runs a query and reads its answer with the tokens of the same version, which it loads if they are
 * not cached. If `read` returns a `Requery`, since the query relied on something that has changed,
 * it runs that query instead.
 */
export type RunQuery = <A>(
  question: Question,
  read: (answer: SqlAnswer, tokens: Tokens) => A | Requery
) => Effect.Effect<A, StoreFailure>

/** Returned by a reader to run another query. */
export class Requery {
  readonly question: Question
  constructor(question: Question) {
    this.question = question
  }
}

/** Bound of the attempts. Each retry needs a change of the ledger between two statements. */
const attemptsMax = 20

export const makeRunQuery = (values: Values): RunQuery => {
  const cache = new TokenCache(values)
  const attempt = <A>(
    question: Question,
    read: (answer: SqlAnswer, tokens: Tokens) => A | Requery,
    attempts: number
  ): Effect.Effect<A, StoreFailure> =>
    Effect.flatMap(
      Effect.mapError(values(question.text, question.parameters), storeFailure),
      (rows) => {
        const answer = readAnswer(rows)
        const known = cache.find(answer.tokenVersion)
        const reading = (tokens: Tokens | undefined): Effect.Effect<A, StoreFailure> => {
          const answered = tokens === undefined ? new Requery(question) : read(answer, tokens)
          if (!(answered instanceof Requery)) return Effect.succeed(answered)
          return attempts === attemptsMax
            ? Effect.fail(tooManyRequeries)
            : attempt(answered.question, read, attempts + 1)
        }
        return known !== undefined
          ? reading(known)
          : Effect.flatMap(Effect.mapError(cache.load(answer.tokenVersion), storeFailure), reading)
      }
    )
  return (question, read) => Effect.suspend(() => attempt(question, read, 1))
}

const tooManyRequeries = new StoreFailure({
  message: `The ledger changed ${attemptsMax} times while one question was asked: try again`,
  retry: true
})
