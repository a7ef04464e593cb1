import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { read, readmes, root } from "./_project.ts"

const documents = [
  ...readmes,
  "core/PROTOCOL.md",
  "app/OPERATIONS.md",
  "app/packaging/CHANGELOG.md",
  ".github/CONTRIBUTING.md",
  ".github/SECURITY.md"
]

/** Returns the relative links of a document outside of code. */
const linksOf = (file: string): ReadonlyArray<string> =>
  [
    ...read(file).replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gmu, "code")
      .matchAll(/\]\(([^)\s]+)\)/gu)
  ].map((match) => match[1]!).filter((link) => !/^[a-z]+:/u.test(link))

/** Returns the anchors of the headings of a document, as Git hosts make them. */
const anchorsOf = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/^#+ (.+)$/gmu)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  )

describe("the READMEs", () => {
  it("link only to files and headings that exist", () => {
    const broken = documents.flatMap((file) =>
      linksOf(file).filter((link) => {
        const [path = "", anchor] = link.split("#")
        const target = path === "" ? file : join(dirname(file), path)
        return !existsSync(join(root, target)) ||
          (anchor !== undefined && !anchorsOf(target).includes(anchor))
      }).map((link) => `${file} links to ${link}`)
    )
    assert.deepStrictEqual(broken, [])
    assert.isAbove(documents.flatMap(linksOf).length, 30)
  })

  it("are all reached from the README of the repository", () => {
    const reached = new Set(["README.md"])
    for (const file of reached) {
      for (const link of linksOf(file)) {
        const target = join(dirname(file), link.split("#")[0]!)
        if (documents.includes(target)) reached.add(target)
      }
    }
    assert.deepStrictEqual([...reached].sort(), [...documents].sort())
  })

  it("begin with one of at most 200 lines", () => {
    assert.isAtMost(read("README.md").trimEnd().split("\n").length, 200)
  })
})
