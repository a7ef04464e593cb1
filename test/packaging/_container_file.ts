/** One instruction of a container file, its continuation lines joined. */
export interface Instruction {
  readonly word: string
  /** `--from=build` and its like. */
  readonly options: { readonly [name: string]: string }
  readonly text: string
}

/** What is between one FROM and the next. */
export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly instructions: ReadonlyArray<Instruction>
}

/** Reads a container file; arguments of the whole file are put in where they are used. Throws where a line is no instruction. */
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

/** The texts of the instructions of one word. */
export const textsOf = ({ instructions }: Stage, word: string): ReadonlyArray<string> =>
  instructions.filter((one) => one.word === word).map(({ text }) => text)

/** What an instruction in the form of a JSON array says; throws where it is a line for a shell. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  JSON.parse(text) as ReadonlyArray<string>
