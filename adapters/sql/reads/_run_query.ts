import { Effect } from "effect"
import type { Token, TokenId } from "../../../core/domain/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import {
  type AnswerStatement,
  answerStatement,
  firstColumn,
  numberOrNull,
  readAnswer,
  type SqlAnswer,
  storeFailure,
  type Values
} from "../connection/mod.ts"
import { token } from "../entities/mod.ts"

/** A statement and its parameters in text format; the statement casts them. */
export interface SqlQuery {
  readonly statement: AnswerStatement
  readonly parameters: ReadonlyArray<string | null>
  /** Whether the statement is slow and has a connection for itself. */
  readonly isExclusive?: boolean
}

/** Runs a query, and returns its answer. */
export const answerOf = (
  values: Values,
  { isExclusive, parameters, statement }: SqlQuery
): Effect.Effect<SqlAnswer, StoreFailure> =>
  Effect.mapBoth(values(statement.text, parameters, isExclusive), {
    onSuccess: (rows) => readAnswer(statement, rows),
    onFailure: storeFailure
  })

/**
 * Runs a query and reads its answer with the tokens of the same version, which it loads if they are
 * not cached. If `read` returns a `Requery`, because the query relied on a state that has changed,
 * it runs that query instead. Fails after 20 attempts.
 */
export type RunQuery = <A>(
  query: SqlQuery,
  read: (answer: SqlAnswer, tokens: Tokens) => A | Requery
) => Effect.Effect<A, StoreFailure>

/** Returned by a reader to run another query. */
export class Requery {
  readonly query: SqlQuery
  constructor(query: SqlQuery) {
    this.query = query
  }
}

/** Called with the ledger version of each answer, before the answer is returned. */
export type OnVersion = (version: number) => Effect.Effect<void>

/** All tokens of one version, each at the index of its id. */
export interface Tokens {
  readonly version: number
  readonly all: ReadonlyArray<Token>
}

export const tokenOf = ({ all }: Tokens, id: TokenId): Token | null => all[id] ?? null

/**
 * Maximum number of attempts. Each retry requires a change of the ledger between two statements.
 */
const attemptsMax = 20

/** Returns a function that runs queries and shares one cache of tokens among them. */
export const makeRunQuery = (values: Values, onVersion: OnVersion): RunQuery => {
  const cache = new TokenCache(values)
  const attempt = <A>(
    query: SqlQuery,
    read: (answer: SqlAnswer, tokens: Tokens) => A | Requery,
    attempts: number
  ): Effect.Effect<A, StoreFailure> =>
    Effect.flatMap(answerOf(values, query), (answer) => {
      const cached = cache.find(answer.tokenVersion)
      const readWith = (tokens: Tokens | undefined): Effect.Effect<A, StoreFailure> => {
        const result = tokens === undefined ? new Requery(query) : read(answer, tokens)
        if (!(result instanceof Requery)) {
          return Effect.as(onVersion(answer.snapshotId.version), result)
        }
        return attempts === attemptsMax
          ? Effect.fail(tooManyRequeries)
          : attempt(result.query, read, attempts + 1)
      }
      return cached !== undefined
        ? readWith(cached)
        : Effect.flatMap(cache.load(answer.tokenVersion), readWith)
    })
  return (query, read) => Effect.suspend(() => attempt(query, read, 1))
}

const statements = new Map<string, AnswerStatement>()

/**
 * Returns a statement, and builds it on the first call with this name. The driver identifies
 * prepared statements by their text.
 */
export const cachedStatement = (name: string, build: () => AnswerStatement): AnswerStatement => {
  const cached = statements.get(name)
  if (cached !== undefined) return cached
  const statement = build()
  statements.set(name, statement)
  return statement
}

/** Returns the head only: the snapshot id and the token version. */
export const headQuery: SqlQuery = { statement: answerStatement({ rows: [] }), parameters: [] }

const tokensStatement = answerStatement({
  head: ["(SELECT max(token.token_id) FROM token)"],
  rows: [{
    columns: token.select("r"),
    sources: [{ place: "r.token_id", from: "token AS r WHERE r.version > $1::bigint" }]
  }]
})

/**
 * Number of cached versions: an answer may be slightly older than the last change of a token. Without
 * the cache each answer takes a second statement: the rows "from the database" of
 * test/bench/RESULTS.md run one.
 */
const versionsMax = 4

/**
 * Caches all tokens of the last versions. They are few, since a registration costs money, and
 * nearly every answer contains some. Each answer names the version of the tokens that belong to it,
 * so it never contains a price or a name of another version.
 */
class TokenCache {
  readonly #values: Values
  /** In ascending order of versions. */
  #versions: ReadonlyArray<Tokens> = []

  constructor(values: Values) {
    this.#values = values
  }

  find(version: number): Tokens | undefined {
    return this.#versions.find((tokens) => tokens.version === version)
  }

  /**
   * Loads the tokens of a version. Returns undefined if the database has another version by now:
   * the caller then has to run its query again.
   */
  load(version: number): Effect.Effect<Tokens | undefined, StoreFailure> {
    const base = this.#versions.findLast((tokens) => tokens.version <= version)
    const query = { statement: tokensStatement, parameters: [String(base?.version ?? -1)] }
    return Effect.map(answerOf(this.#values, query), (answer) => {
      const { head: [lastId], rows: changed, tokenVersion } = answer
      // this answer comes from a replica that lags behind the server that returned the base
      if (base !== undefined && tokenVersion < base.version) return undefined
      const all = [...base?.all ?? []]
      for (const values of changed) {
        const row = token.read(values, firstColumn)
        all[row.id] = row
      }
      all.length = (numberOrNull(lastId) ?? -1) + 1
      const tokens = { version: tokenVersion, all }
      this.#add(tokens)
      return tokenVersion === version ? tokens : undefined
    })
  }

  #add(tokens: Tokens): void {
    if (this.find(tokens.version) !== undefined) return
    this.#versions = [...this.#versions, tokens].sort((a, b) => a.version - b.version).slice(
      -versionsMax
    )
  }
}

const tooManyRequeries = new StoreFailure({
  message: `The ledger changed during each of ${attemptsMax} attempts to read it: try again`,
  retry: true
})

/** Returns the next parameter of a statement, cast to a type. */
export type Parameter = (type: string) => string

/** Returns a `Parameter` that numbers parameters from `first` on. */
export const parametersFrom = (first: number): Parameter => {
  let next = first
  return (type) => `$${next++}::${type}`
}

/* Parameters in text format. */
export const byteParameter = (value: Uint8Array): string =>
  `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`
export const hexParameter = (hex: string): string =>
  `\\x${hex.startsWith("0x") ? hex.slice(2) : hex}`
export const hexOrNullParameter = (hex: string | undefined): string | null =>
  hex === undefined ? null : hexParameter(hex)
export const numberOrNullParameter = (value: number | undefined): string | null =>
  value === undefined ? null : String(value)
export const keysParameter = (keys: ReadonlyArray<Uint8Array>): string =>
  `{${keys.map((key) => `"\\${byteParameter(key)}"`).join(",")}}`
