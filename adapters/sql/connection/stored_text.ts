/**
 * Returns a text in the form in which it is stored. PostgreSQL accepts neither NUL nor half of a
 * surrogate pair, so these become `\u` and four hexadecimal digits, and a backslash becomes two.
 */
export const storedText = (text: string): string =>
  text.replace(
    /[\\\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (unit) => unit === "\\" ? "\\\\" : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Returns the text of a stored form. */
export const readText = (stored: string): string =>
  stored.includes("\\") ?
    stored.replace(
      /\\(?:\\|u([0-9a-f]{4}))/g,
      (_, digits?: string) =>
        digits === undefined ? "\\" : String.fromCharCode(parseInt(digits, 16))
    ) :
    stored
