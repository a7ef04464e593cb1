// Own code: `effect` has encodings in a sub-path only, and core imports no sub-path of it.

/** Base64url (RFC 4648 §5) without padding; only whole groups of three bytes, so that every text has one meaning and no spare bits. */
export function base64urlOfBytes(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i + 2 < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!
    text += ALPHABET[group >> 18]! + ALPHABET[(group >> 12) & 63]! + ALPHABET[(group >> 6) & 63]! +
      ALPHABET[group & 63]!
  }
  return text
}

/** The bytes of a text that from `start` to its end is known to be whole groups of four characters; undefined on one outside the alphabet. */
export function bytesOfBase64url(text: string, start: number): Uint8Array | undefined {
  const groups = (text.length - start) / 4
  const bytes = new Uint8Array(groups * 3)
  for (let i = 0; i < groups; i++) {
    const at = start + 4 * i
    const group = (valueAt(text, at) << 18) | (valueAt(text, at + 1) << 12) |
      (valueAt(text, at + 2) << 6) | valueAt(text, at + 3)
    if (group < 0) return undefined
    bytes[3 * i] = group >> 16
    bytes[3 * i + 1] = group >> 8
    bytes[3 * i + 2] = group
  }
  return bytes
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const VALUES = new Int8Array(128).fill(-1)
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i

/** -1 keeps its sign through shift and or, so one test covers a whole group. */
function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? -1
}
