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

/** How many bytes a text takes in UTF-8: as many as it has characters where all are ASCII. Nothing is made of it, which for a page would take as long as all else. */
export const utf8Length = (text: string): number => {
  const { read, written } = encoder.encodeInto(text, scratch)
  return read === text.length ? written : encoder.encode(text).length
}

export const utf8Bytes = (text: string): Uint8Array => encoder.encode(text)
