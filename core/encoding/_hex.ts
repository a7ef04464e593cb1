// Own code: `effect` has encodings in a sub-path only, and core imports no sub-path of it.

/** Whether every character from `start` to the end is a hexadecimal digit of either case. */
export function isHexFrom(text: string, start: number): boolean {
  for (let i = start; i < text.length; i++) {
    if (hexDigitOf(text.charCodeAt(i)) < 0) return false
  }
  return true
}

/** Two lower-case digits a byte. */
export function hexOfBytes(bytes: Uint8Array): string {
  let text = ""
  for (let i = 0; i < bytes.length; i++) text += HEX_OF_BYTE[bytes[i]!]
  return text
}

/** The bytes of a text already known to be an even number of hexadecimal digits. */
export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2)
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = hexDigitOf(hex.charCodeAt(2 * i)) * 16 + hexDigitOf(hex.charCodeAt(2 * i + 1))
  }
  return bytes
}

/** The same bytes in opposite order. */
export function reverseHex(hex: string): string {
  let text = ""
  for (let i = hex.length - 2; i >= 0; i -= 2) text += hex.slice(i, i + 2)
  return text
}

export const HEX_OF_BYTE: ReadonlyArray<string> = Array.from(
  { length: 256 },
  (_, byte) => byte.toString(16).padStart(2, "0")
)

/** 0..15, or -1 when the character code is no hexadecimal digit. */
function hexDigitOf(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  if (code >= 97 && code <= 102) return code - 87
  if (code >= 65 && code <= 70) return code - 55
  return -1
}
