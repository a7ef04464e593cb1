import { Data, Effect, Result, Schedule, Schema, type Scope } from "effect"
import { readFile, stat } from "node:fs/promises"
import { checkHealth, type CurrencyPrice, type CurrencyPrices, values } from "../../core/mod.ts"
import { decodeAll } from "../../core/contract/mod.ts"

/** The file with the prices of currencies cannot be used. The message names the file and the rule. */
export class CurrencyFileError
  extends Data.TaggedError("CurrencyFileError")<{ readonly message: string }>
{}

/** Options of `openCurrencyFile`. */
export interface CurrencyFileOptions {
  /** Interval between two looks at the file; 2000 by default. */
  readonly pollMs?: number
}

/**
 * Returns the prices in a file, and reads it again within `pollMs` of a change, or of a read that
 * failed, until the scope closes. Fails if the first one fails. After a later one the prices stay as
 * they are, and the log and the health check `currencies` have the reason.
 */
export const openCurrencyFile = (
  path: string,
  { pollMs = 2000 }: CurrencyFileOptions = {}
): Effect.Effect<CurrencyPrices, CurrencyFileError, Scope.Scope> =>
  Effect.gen(function*() {
    let version: string | undefined = yield* versionOf(path)
    let prices = yield* readCurrencyFile(path)
    let problem: string | undefined
    const refresh = Effect.gen(function*() {
      const found = yield* versionOf(path)
      if (found === version) return
      const read = yield* Effect.result(readCurrencyFile(path))
      version = Result.isSuccess(read) ? found : undefined
      if (Result.isSuccess(read)) {
        prices = read.success
        problem = undefined
        yield* Effect.log(`Currencies "${path}": the file has changed, ${prices.length} prices`)
      } else {
        const reason = `${read.failure.message}. The prices before it stay in use`
        if (reason !== problem) yield* Effect.logError(reason)
        problem = reason
      }
    })
    yield* checkHealth(
      "currencies",
      Effect.sync(() =>
        problem === undefined
          ? { state: "ok", detail: `${prices.length} prices of currencies` }
          : { state: "degraded", detail: problem }
      )
    )
    yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(pollMs)))
    return { current: Effect.sync(() => prices) }
  })

/** Returns the prices in a file. Fails with every rule that it breaks. */
export const readCurrencyFile = (
  path: string
): Effect.Effect<ReadonlyArray<CurrencyPrice>, CurrencyFileError> =>
  Effect.gen(function*() {
    const [text, { mtimeMs }] = yield* Effect.tryPromise({
      try: () => Promise.all([readFile(path, "utf8"), stat(path)]),
      catch: (error) => fileError(path, `it cannot be read: ${messageOf(error)}`)
    })
    const json = yield* Effect.try({
      try: () => JSON.parse(text) as unknown,
      catch: (error) => fileError(path, `it is not JSON: ${messageOf(error)}`)
    })
    const file = yield* Effect.mapError(
      Effect.fromResult(decodeAll(CurrencyFile, json, "The file")),
      (violations) => fileError(path, violations.map(({ message }) => message).join("; "))
    )
    const timeMs = file.lastUpdate === undefined
      ? Math.max(0, Math.floor(mtimeMs))
      : Date.parse(file.lastUpdate)
    return Object.entries(file.unitsPerUSD).map(([currency, unitsPerUSD]): CurrencyPrice => ({
      currency,
      unitsPerUSD,
      timeMs
    }))
  })

const timeRule = "a time from 1970 on in RFC 3339 and UTC, such as 2021-03-05T14:41:59Z"
const isCurrencyCode = Schema.is(values.currencyCode)
const unitsRule = "an object with the units of each currency that one US dollar buys, by code"

/** The content of the file. */
const CurrencyFile = Schema.Struct({
  lastUpdate: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter((text) => isTime(text), { expected: timeRule }))
  ),
  unitsPerUSD: Schema.Record(Schema.String, values.positive).check(
    Schema.makeFilter(
      (units) =>
        Object.keys(units).filter((code) => !isCurrencyCode(code)).map((code) => ({
          path: [code],
          issue: "Expected a name of three capital letters, such as EUR"
        })),
      { expected: unitsRule }
    )
  )
})

const isTime = (text: string): boolean => {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/u.test(text) ? Date.parse(text) : NaN
  // Date.parse takes 30 February for 2 March
  return ms >= 0 && new Date(ms).toISOString().slice(0, 19) === text.slice(0, 19)
}

/** Returns a text that changes with the file. */
const versionOf = (path: string): Effect.Effect<string> =>
  Effect.promise(() =>
    stat(path, { bigint: true }).then(
      ({ ino, mtimeNs, size }) => `${ino} ${mtimeNs} ${size}`,
      messageOf
    )
  )

const fileError = (path: string, reason: string): CurrencyFileError =>
  new CurrencyFileError({ message: `Currencies "${path}": ${reason}` })

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)
