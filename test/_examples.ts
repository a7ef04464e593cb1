import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { read, readmes, root } from "./packaging/_project.ts"

/** One example of a README or of a documentation comment, written to a file of its own. */
export interface Example {
  readonly title: string
  readonly code: string
  readonly file: string
}

const fenced = (text: string) =>
  [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gmu)].map((match) => match[1]!)

const codeOf = (source: string): ReadonlyArray<string> =>
  source.endsWith(".md")
    ? fenced(read(source))
    : [...read(source).matchAll(/^ *\/\*\*$([\s\S]*?)^ *\*\/$/gmu)].flatMap((comment) =>
      fenced(comment[1]!.replaceAll(/^ *\* ?/gmu, ""))
    )

const sources = [
  ...readmes,
  ...globSync(["{core,adapters,app}/**/*.ts", "test/laws/**/*.ts"], { cwd: root }).sort()
]

/** Writes all examples to an empty folder below `test`, and returns them. */
export const writeExamples = (folder: string): ReadonlyArray<Example> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return sources.flatMap((source) =>
    codeOf(source).map((code, i) => ({ title: `${source}, example ${i + 1}`, code }))
  ).map(({ code, title }, i) => {
    const file = join(folder, `example_${i}.ts`)
    writeFileSync(file, `${code}\nexport {}\n`)
    return { title, code, file }
  })
}
