/** Returns the next parameter of a statement, cast to a type. */
export type Parameter = (type: string) => string

/** Returns a `Parameter` that numbers parameters from `first` on. */
export const parametersFrom = (first: number): Parameter => {
  let next = first
  return (type) => `$${next++}::${type}`
}

/* Parameters in text format. */
export const byteParameter = (value: Uint8Array): string =>
  `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}`
export const hexParameter = (hex: string): string =>
  `\\x${hex.startsWith("0x") ? hex.slice(2) : hex}`
export const hexOrNullParameter = (hex: string | undefined): string | null =>
  hex === undefined ? null : hexParameter(hex)
export const numberOrNullParameter = (value: number | undefined): string | null =>
  value === undefined ? null : String(value)
export const keysParameter = (keys: ReadonlyArray<Uint8Array>): string =>
  `{${keys.map((key) => `"\\${byteParameter(key)}"`).join(",")}}`
