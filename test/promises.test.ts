import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { read, readmes, root } from "./packaging/_project.ts"

/* `PROMISES.md` names a test for each promise of the documents. */

const documents = [
  ...new Set([...readmes, ...globSync(["app/{,packaging/}*.md", ".github/*.md"], { cwd: root })])
]

interface Row {
  readonly document: string
  readonly section: string
  readonly promise: string
  /** Path of the file below `test`; undefined if the section promises nothing. */
  readonly file: string | undefined
  readonly test: string
}

const rows: ReadonlyArray<Row> = read("test/PROMISES.md").split("\n").filter((line) =>
  /^\| .+ › /u.test(line) && !line.startsWith("| document")
).map((line) => {
  const [place, promise, proof] = line.slice(2, -2).split(" | ")
  const [document, section] = place!.split(" › ")
  const [file, ...test] = proof!.split(" › ")
  return {
    document: document!,
    section: section!,
    promise: promise!,
    file: file === "—" ? undefined : file!,
    test: test.join(" › ")
  }
})

/** Returns the headings of a document outside of code. */
const sectionsOf = (document: string): ReadonlyArray<string> =>
  [...read(document).replaceAll(/^```[\s\S]*?^```/gmu, "").matchAll(/^#+ (.+)$/gmu)].map((match) =>
    match[1]!
  )

/** Returns whether a file has a test of this name, or a command has this text. */
const isNamedIn = (file: string, test: string): boolean => {
  const text = readFileSync(join(root, "test", file), "utf8")
  const example = /^(.+\.md), example (\d+)$/u.exec(test)
  if (file === "examples.test.ts" && example !== null) {
    const examples = read(example[1]!).match(/^```ts$/gmu) ?? []
    return examples.length >= Number(example[2])
  }
  return file.endsWith(".test.ts")
    ? ['"', "'", "`"].some((quote) => text.includes(quote + test))
    : text.includes(test)
}

describe("the promises of the documents", () => {
  it("name each section of each document, and no other", () => {
    const named = new Set(rows.map(({ document, section }) => `${document} › ${section}`))
    const sections = new Set(
      documents.flatMap((document) =>
        sectionsOf(document).map((section) => `${document} › ${section}`)
      )
    )
    assert.deepStrictEqual(
      [...sections].filter((section) => !named.has(section)),
      [],
      "sections without a line"
    )
    assert.deepStrictEqual(
      [...named].filter((section) => !sections.has(section)),
      [],
      "lines of unknown sections"
    )
  })

  it("each have a test that exists", () => {
    assert.isAbove(rows.length, 400)
    for (const { document, file, promise, section, test } of rows) {
      if (file === undefined) {
        assert.strictEqual(promise, "no promise", `${document} › ${section}`)
        continue
      }
      const place = `${document} › ${section}: ${promise}`
      assert.isAbove(test.length, 3, place)
      assert.isTrue(existsSync(join(root, "test", file)), `${place}: ${file} does not exist`)
      assert.isTrue(isNamedIn(file, test), `${place}: ${file} has no "${test}"`)
    }
  })
})
