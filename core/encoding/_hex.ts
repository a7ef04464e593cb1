// Not `effect/encoding`: core imports no sub-path of effect.

/**
 * Returns whether every character from `start` on is a hexadecimal digit in upper or lower case.
 */
export function isHexFrom(text: string, start: number): boolean {
  for (let i = start; i < text.length; i++) {
    if (hexDigitOf(text.charCodeAt(i)) < 0) return false
  }
  return true
}

/** Returns two lower-case digits for each byte. */
export function hexOfBytes(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i < bytes.length; i++) text += HEX_OF_BYTE[bytes[i]!]
  return text
}

/** Returns the bytes of a text, which has to be an even number of hexadecimal digits. */
export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = hexDigitOf(hex.charCodeAt(2 * i)) * 16 + hexDigitOf(hex.charCodeAt(2 * i + 1))
  }
  return bytes
}

/** Returns the digits of the same bytes in reverse order. */
export function reverseHex(hex: string): string {
  let text = ""
  for (let i = hex.length - 2; i >= 0; i -= 2) text += hex.slice(i, i + 2)
  return text
}

export const HEX_OF_BYTE: ReadonlyArray<string> = Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0")
)

/** Returns 0..15, or -1 if the character code is not that of a hexadecimal digit. */
function hexDigitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  if (code >= 65 && code <= 70) return code - 55
  return -1
}
