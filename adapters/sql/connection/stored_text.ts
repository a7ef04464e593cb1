/**
 * Texts as PostgreSQL can hold them. It refuses NUL, and UTF-8 has no half of a surrogate pair, so these are written as `\u` and four
 * hexadecimal digits, and a backslash as two. Different texts stay different.
 */
export const storedText = (text: string): string =>
  text.replace(
    /[\\\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (unit) => unit === "\\" ? "\\\\" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** The text that was stored. */
export const readText = (stored: string): string =>
  stored.includes("\\") ?
    stored.replace(
      /\\(?:\\|u([0-9a-f]{4}))/g,
      (_, digits?: string) =>
        digits === undefined ? "\\" : String.fromCharCode(parseInt(digits, 16))
    ) :
    stored
