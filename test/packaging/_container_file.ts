/** An instruction of a container file, with its continuation lines joined. */
export interface Instruction {
  readonly word: string
  /** Options such as `--from=build`. */
  readonly options: { readonly [name: string]: string }
  readonly text: string
}

/** The instructions between one FROM and the next. */
export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly instructions: ReadonlyArray<Instruction>
}

/**
 * Parses a container file, with the arguments of the whole file replaced. Throws if a line is not
 * an instruction.
 */
export const readContainerFile = (text: string): ReadonlyArray<Stage> => {
  const lines = text.split("\n").filter((line) => !line.startsWith("#")).join("\n").replaceAll(
    /\\\n\s*/gu,
    ""
  ).split("\n").filter((line) => line !== "")
  const values = new Map<string, string>()
  const stages: Array<
    { image: string; name: string | undefined; instructions: Array<Instruction> }
  > = []
  for (const line of lines) {
    const [, word, flags, rest] = /^([A-Z]+)((?: --[\w-]+=\S+)*) (.+)$/u.exec(line) ?? []
    if (word === undefined || rest === undefined) {
      throw new Error(`Line ${JSON.stringify(line)} is no instruction`)
    }
    if (word === "ARG" && stages.length === 0) {
      const [name, value] = rest.split("=")
      values.set(name!, value ?? "")
    } else if (word === "FROM") {
      const [image, as, name] = rest.split(" ")
      stages.push({
        image: image!.replaceAll(/\$\{(\w+)\}/gu, (_, name: string) => values.get(name) ?? ""),
        name: as === "AS" ? name : undefined,
        instructions: []
      })
    } else {
      const options = Object.fromEntries(
        [...(flags ?? "").matchAll(/--([\w-]+)=(\S+)/gu)].map((match) => [match[1]!, match[2]!])
      )
      stages.at(-1)!.instructions.push({ word, options, text: rest })
    }
  }
  return stages
}

/** Returns the texts of all instructions of a kind. */
export const textsOf = ({ instructions }: Stage, word: string): ReadonlyArray<string> =>
  instructions.filter((one) => one.word === word).map(({ text }) => text)

/**
 * Returns the words of an instruction in the form of a JSON array; throws if it is a shell command.
 */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  JSON.parse(text) as ReadonlyArray<string>
