/*
 * As much of an assembler of WebAssembly as the code of this folder needs: expressions and statements are their bytes; numbers have 32
 * bits and serve as addresses, wides have 64.
 */

export type Code = ReadonlyArray<number>

/** Parameters are numbers and come first among the locals, then the other numbers, then the wides; nothing is returned. */
export interface Procedure {
  readonly parameters: number
  readonly numbers: number
  readonly wides: number
  readonly code: Code
}

export interface Assembly {
  /** They call each other by their place. */
  readonly procedures: ReadonlyArray<Procedure>
  /** The places of those called from outside; the memory is exported as `memory`. */
  readonly exported: Readonly<Record<string, number>>
  /** Of 64 KiB. */
  readonly pages: number
}

export function assemble({ exported, pages, procedures }: Assembly): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, procedures.map(({ parameters }) => [0x60, parameters, ...Array.from({ length: parameters }, () => NUMBER), 0])),
    ...section(3, procedures.map((_, place) => [place])),
    ...section(5, [[0, ...unsigned(pages)]]),
    ...section(7, [[...text("memory"), 2, 0], ...Object.entries(exported).map(([name, place]) => [...text(name), 0, place])]),
    ...section(10, procedures.map(({ code, numbers, wides }) => sized([2, numbers, NUMBER, wides, WIDE, ...code, END])))
  ])
}

const [NUMBER, WIDE, NOTHING, END] = [0x7f, 0x7e, 0x40, 0x0b] as const

export const get = (local: number): Code => [0x20, local]
export const set = (local: number, value: Code): Code => [...value, 0x21, local]
export const advance = (local: number, by: number): Code => set(local, plus(get(local), number(by)))
export const swap = (one: number, other: number): Code => [...get(one), ...get(other), 0x21, one, 0x21, other]
export const call = (place: number, parameters: ReadonlyArray<Code>): Code => [...parameters.flat(), 0x10, place]

export const number = (value: number): Code => [0x41, ...signed(BigInt(value))]
export const plus = (x: Code, y: Code): Code => [...x, ...y, 0x6a]
export const times = (x: Code, y: Code): Code => [...x, ...y, 0x6c]
export const below = (x: Code, y: Code): Code => [...x, ...y, 0x49]
export const either = (x: Code, y: Code): Code => [...x, ...y, 0x72]
export const choose = (condition: Code, whenTrue: Code, whenFalse: Code): Code => [...whenTrue, ...whenFalse, ...condition, 0x1b]

export const wide = (value: bigint): Code => [0x42, ...signed(value)]
export const sum = (x: Code, y: Code): Code => [...x, ...y, 0x7c]
export const product = (x: Code, y: Code): Code => [...x, ...y, 0x7e]
export const bitsOfBoth = (x: Code, y: Code): Code => [...x, ...y, 0x83]
export const shiftedRight = (x: Code, bits: Code): Code => [...x, ...bits, 0x88]

/** The wides of memory, counted from the address in a local. */
export const load = (address: number, place: number): Code => [...get(address), 0x29, 3, ...unsigned(8 * place)]
export const store = (address: number, place: number, value: Code): Code => [...get(address), ...value, 0x37, 3, ...unsigned(8 * place)]

/** Goes through the code at least once, and again as long as the condition holds at its end. */
export const repeat = (code: Code, condition: Code): Code => [0x03, NOTHING, ...code, ...condition, 0x0d, 0, END]
/** As often as the local says, which is then 0. */
export const countDown = (local: number, code: Code): Code => repeat([...code, ...advance(local, -1)], get(local))

function section(id: number, items: ReadonlyArray<Code>): Code {
  return [id, ...sized([...unsigned(items.length), ...items.flat()])]
}

function sized(code: Code): Code {
  return [...unsigned(code.length), ...code]
}

function text(name: string): Code {
  return sized([...new TextEncoder().encode(name)])
}

/** LEB128: seven bits a byte, the lowest first. */
function unsigned(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function signed(value: bigint): Code {
  const [group, rest] = [Number(value & 127n), value >> 7n]
  return rest === (group < 64 ? 0n : -1n) ? [group] : [group | 128, ...signed(rest)]
}
