import { styleText } from "node:util"

/** How text is written to a stream: its width and its colours. */
export interface TextFormat {
  /** Columns of the terminal. */
  readonly width: number
  /** Returns the text in a style, or unchanged if the stream shows no colours. */
  readonly style: (style: "bold" | "cyan" | "red" | "yellow", text: string) => string
}

/** Columns of a stream that is not a terminal, if `COLUMNS` is not set. */
const plainWidth = 80
const widthMin = 40

/** Text without colours and line breaks. */
export const plainText: TextFormat = { width: Infinity, style: (_, text) => text }

/**
 * Returns the format for a stream: the width of the terminal; elsewhere that of the variable
 * `COLUMNS`, or 80 columns. Colours only on a terminal, and not if `NO_COLOR` is set.
 */
export const formatOf = (stream: NodeJS.WriteStream): TextFormat => ({
  width: Math.max(widthMin, stream.columns ?? (Number(process.env.COLUMNS) || plainWidth)),
  style: (style, text) => styleText(style, text, { stream })
})

/** Returns the lines of a text, broken between words; each begins with the indentation. */
export const wrap = (
  text: string,
  width: number,
  indent: string,
  nextIndent = indent
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = indent
  let isEmpty = true
  for (const word of text.split(" ")) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line)
      line = nextIndent
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}
