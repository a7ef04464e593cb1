import { Arbitrary } from "effect"
import { integer, oneOf } from "../laws/generators.ts"

export { integer }

/** Generates unsigned integers of at most `bitsMax` bits, all widths equally likely. */
export function unsigned(bitsMax: number): Arbitrary.Arbitrary<bigint> {
  return Arbitrary.map(
    Arbitrary.all([bytes(Math.ceil(bitsMax / 8)), integer(0, bitsMax)]),
    ([value, bits]) =>
      BigInt.asUintN(bits, value.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n))
  )
}

export function bytes(length: number): Arbitrary.Arbitrary<Uint8Array> {
  return Arbitrary.map(
    Arbitrary.array(integer(0, 255), { minLength: length, maxLength: length }),
    (values) => Uint8Array.from(values)
  )
}

/** Generates texts of this number of lower-case hexadecimal digits. */
export function hex(digits: number): Arbitrary.Arbitrary<string> {
  return Arbitrary.map(
    Arbitrary.array(integer(0, 15), { minLength: digits, maxLength: digits }),
    (values) => values.map((value) => value.toString(16)).join("")
  )
}

/** Generates one of the characters of a text. */
export const characterOf = (alphabet: string): Arbitrary.Arbitrary<string> => oneOf([...alphabet])

/** Generates a position, as a fraction, in a text of unknown length. */
export const fraction: Arbitrary.Arbitrary<number> = Arbitrary.map(
  integer(0, 999_999),
  (value) => value / 1_000_000
)

/** Replaces the character at the position by another text. */
export function replaceAt(text: string, position: number, replacement: string): string {
  const at = Math.floor(position * text.length)
  return text.slice(0, at) + replacement + text.slice(at + 1)
}
