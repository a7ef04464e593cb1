import { Result } from "effect"
import { EncodingError } from "../../encoding/mod.ts"

const dayMs = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"))

/**
 * Writes RFC 3339 in UTC with milliseconds, like `Date.toISOString`; caches the date part of each
 * day.
 */
export const formatDateTime = (): (timeMs: number) => string => {
  let lastDay = NaN
  let date = ""
  return (timeMs) => {
    const day = Math.floor(timeMs / dayMs)
    if (day !== lastDay) {
      date = new Date(timeMs).toISOString().slice(0, -13)
      lastDay = day
    }
    const inDay = timeMs - day * dayMs
    const seconds = Math.floor(inDay / 1000)
    const ms = inDay - seconds * 1000
    return `${date}${twoDigits[Math.floor(seconds / 3600)]}:${
      twoDigits[Math.floor(seconds / 60) % 60]
    }:${twoDigits[seconds % 60]}.${ms === 0 ? "000" : String(ms).padStart(3, "0")}Z`
  }
}

/** Reads RFC 3339 in UTC as milliseconds since 1970; digits after the third are dropped. */
export const parseDateTime = (text: string): Result.Result<number, EncodingError> => {
  const ms = pattern.test(text) ? Date.parse(text) : NaN
  // Date.parse takes 30 February for 2 March
  return !(ms >= 0) || new Date(ms).toISOString().slice(0, 19) !== text.slice(0, 19)
    ? Result.fail(
      new EncodingError(
        text,
        "a time from 1970 on in RFC 3339 and UTC, such as 2021-03-05T14:41:59Z"
      )
    )
    : Result.succeed(ms)
}

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/u
