/** A byte order mark stays, for the reader of the text to refuse. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The text that bytes are in UTF-8; undefined where they are none. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
