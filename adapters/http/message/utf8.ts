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

const encoder = new TextEncoder()
/** Most answers fit; what does not takes memory of its own. */
const scratch = new Uint8Array(2 ** 18)

/** What a text is in UTF-8: itself where each character is one byte, so that nothing is made of it, else its bytes. */
export const utf8Body = (
  text: string
): { readonly body: string | Uint8Array; readonly bytes: number } => {
  const { read, written } = encoder.encodeInto(text, scratch)
  const isWhole = read === text.length
  if (isWhole && written === read) return { body: text, bytes: written }
  const body = isWhole ? scratch.slice(0, written) : encoder.encode(text)
  return { body: body.length === text.length ? text : body, bytes: body.length }
}
