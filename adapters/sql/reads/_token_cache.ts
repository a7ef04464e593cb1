import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Token, TokenId } from "../../../core/domain/mod.ts"
import { answerStatement, readAnswer, type Values } from "../connection/mod.ts"
import { decodeToken, tokenRowSql } from "./auction_rows.ts"

/** All tokens of one version, each at the position of its id. */
export interface Tokens {
  readonly version: number
  readonly all: ReadonlyArray<Token>
}

export const tokenOf = ({ all }: Tokens, id: TokenId): Token | null => all[id] ?? null

/** Versions that are kept: an answer may have been computed a little before the last change. */
const versionsMax = 4

const statement = answerStatement({
  head: ["(SELECT max(token.token_id) FROM token)"],
  rows: [`SELECT r.token_id, ${tokenRowSql} FROM token AS r WHERE r.version > $1::bigint`]
})

/**
 * The tokens, in this process: they are few, since a registration costs money, and nearly every answer shows some. Each answer says
 * which version it goes with, so nothing is ever shown with a price or a name of another time.
 */
export class TokenCache {
  private readonly values: Values
  /** From the oldest to the newest. */
  private kept: ReadonlyArray<Tokens> = []

  constructor(values: Values) {
    this.values = values
  }

  find(version: number): Tokens | undefined {
    return this.kept.find((tokens) => tokens.version === version)
  }

  /** The tokens of a version, or undefined where the database has moved on by now: then the question has to be asked again. */
  load(version: number): Effect.Effect<Tokens | undefined, SqlError.SqlError> {
    const base = this.kept.findLast((tokens) => tokens.version <= version)
    return Effect.map(this.values(statement, [String(base?.version ?? -1)]), (rows) => {
      const { head: [lastId], lines, tokenVersion } = readAnswer(rows)
      // a replica that lags behind the one that told the base
      if (base !== undefined && tokenVersion < base.version) return undefined
      const all = [...base?.all ?? []]
      for (const line of lines) {
        const token = decodeToken(line)
        all[token.id] = token
      }
      all.length = lastId === "" ? 0 : Number(lastId) + 1
      const tokens = { version: tokenVersion, all }
      this.keep(tokens)
      return tokenVersion === version ? tokens : undefined
    })
  }

  private keep(tokens: Tokens): void {
    if (this.find(tokens.version) !== undefined) return
    this.kept = [...this.kept, tokens].sort((one, other) => one.version - other.version).slice(
      -versionsMax
    )
  }
}
