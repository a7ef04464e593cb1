const dayMs = 86_400_000
const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, "0"))

/**
 * Writes RFC 3339 in UTC with milliseconds, like `Date.toISOString`; caches the date part of each
 * day.
 */
export const rfc3339 = (): (timeMs: number) => string => {
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
