// with `ignoreBOM` the text includes a byte order mark, which the JSON reader refuses
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * Decodes UTF-8. Returns undefined if the bytes are invalid.
 *
 * @example
 * ```ts
 * import { utf8Text } from "rollup-node-api/http"
 *
 * console.log(utf8Text(new Uint8Array([0xc3, 0xa9]))) // => é
 * console.log(utf8Text(new Uint8Array([0xc3]))) // => undefined
 * ```
 */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const encoder = new TextEncoder()
/** Scratch buffer; a larger text is encoded into new memory. */
const scratch = new Uint8Array(2 ** 18)

/**
 * Returns a text as the body of an answer: the string itself if it is ASCII, otherwise its bytes in
 * UTF-8.
 */
export const utf8Body = (
  text: string
): { readonly body: string | Uint8Array; readonly bytes: number } => {
  const { read, written } = encoder.encodeInto(text, scratch)
  const isWhole = read === text.length
  if (isWhole && written === read) return { body: text, bytes: written }
  const body = isWhole ? scratch.slice(0, written) : encoder.encode(text)
  return { body: body.length === text.length ? text : body, bytes: body.length }
}
