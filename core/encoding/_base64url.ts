// Not `effect/encoding`: core imports no sub-path of effect.

/**
 * Returns base64url (RFC 4648 §5) without padding. The number of bytes has to be a multiple of
 * three, so that no text has unused bits.
 */
export function base64urlOfBytes(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i + 2 < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!
    text += ALPHABET[group >> 18]! + ALPHABET[(group >> 12) & 63]! + ALPHABET[(group >> 6) & 63]! +
      ALPHABET[group & 63]!
  }
  return text
}

/**
 * Returns the bytes of the text after `start`, whose length has to be a multiple of four; undefined
 * if a character is not in the alphabet.
 */
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

/**
 * Returns -1 for other characters. Shift and or keep its sign, so one test covers a whole group.
 */
function valueAt(text: string, at: number): number {
  return VALUES[text.charCodeAt(at)] ?? -1
}
