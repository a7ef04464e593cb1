import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { doors, manifest, read, readmes, root } from "./_project.ts"

/* Compares names in the documents with the files, scripts, folders and exports that they name. */

const documents = [
  ...new Set([
    ...readmes,
    ...globSync(["core/*.md", "app/{,packaging/}*.md", ".github/*.md"], { cwd: root })
  ])
]
const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: { readonly [name: string]: string }
}
const sources = globSync("{core,adapters,app,test}/**/*.{ts,js,json,yaml,md}", {
  cwd: root,
  exclude: ["**/node_modules/**", "**/.examples*/**"]
})

/** Returns the texts between backticks outside of code blocks. */
const namesIn = (file: string): ReadonlyArray<string> =>
  [...read(file).replaceAll(/^```[\s\S]*?^```/gmu, "").matchAll(/`([^`\n]+)`/gu)].map((match) =>
    match[1]!
  )

/** Returns the faults of each document, with its name. */
const faultsOf = (find: (file: string) => ReadonlyArray<string>) =>
  documents.flatMap((file) => find(file).map((fault) => `${file}: ${fault}`))

/** Returns the first cells of the rows of the tables in a section, without links. */
const firstCells = (file: string, heading: string): ReadonlyArray<string> =>
  [...read(file).split(new RegExp(`^#+ ${heading}$`, "mu"))[1]!.split(/^## /mu)[0]!
    .matchAll(/^\| (.+?) \|/gmu)].slice(1).flatMap(([, cell]) =>
      [...cell!.matchAll(/\[([^\]]+)\]|`([^`]+)`/gu)].map(([, link, code]) => (link ?? code)!)
    )

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

const foldersIn = (folder: string) =>
  globSync(`${folder}/*/`, { cwd: root }).map((path) => basename(path)).filter((name) =>
    !name.startsWith(".") && name !== "node_modules"
  ).sort()

describe("the documents", () => {
  it("name source files that exist", () => {
    // files of users, and of a package when it is installed
    const others =
      /^(?:genesis|journal|holder|verification|tsconfig)\.|^(?:feed|network)\.|^dist\/examples\/|\*/u
    assert.deepStrictEqual(
      faultsOf((file) =>
        namesIn(file).filter((name) =>
          /^[\w./-]+\.(?:ts|js|json|yaml|md)$/u.test(name) && !others.test(name) &&
          !name.startsWith("/") && !sources.some((path) => path.endsWith(name)) &&
          !existsSync(join(root, dirname(file), name)) && !existsSync(join(root, name))
        )
      ),
      []
    )
  })

  it("name commands that exist", () => {
    assert.deepStrictEqual(
      faultsOf((file) =>
        [...read(file).matchAll(/npm run ([\w:-]+)/gu)].map((match) => match[1]!).filter((script) =>
          scripts[script] === undefined
        )
      ),
      []
    )
    assert.deepStrictEqual(
      faultsOf((file) =>
        [...read(file).matchAll(/\bnode ([\w/.]+\.(?:ts|js))/gu)].map((match) => match[1]!).filter((
          path
        ) => !existsSync(join(root, path)))
      ),
      []
    )
    assert.isAbove(Object.keys(scripts).length, 10)
  })

  it("name import paths that the package has", () => {
    const paths = new Set(doors.map(([door]) => join(manifest.name, door)))
    assert.deepStrictEqual(
      faultsOf((file) =>
        [...read(file).matchAll(/\brollup-node-api(?:\/[a-z]+)+/gu)].map(([name]) => name).filter((
          name
        ) => !paths.has(name))
      ),
      []
    )
  })

  it("name every folder of core and test, and every adapter without a document", () => {
    assert.deepStrictEqual([...firstCells("core/README.md", "core")].sort(), foldersIn("core"))
    assert.deepStrictEqual([...firstCells("test/README.md", "Folders")].sort(), foldersIn("test"))
    const text = read("README.md").replaceAll(/\s+/gu, " ")
    const undocumented = [
      .../The other adapters, (.*?), list their exports/u.exec(text)![1]!
        .matchAll(/`(\w+)`/gu)
    ].map((match) => match[1]!)
    assert.deepStrictEqual(
      undocumented.sort(),
      foldersIn("adapters").filter((name) => !existsSync(join(root, "adapters", name, "README.md")))
    )
  })

  it("have every section of PROTOCOL.md that a comment cites", () => {
    const sections = [...read("core/PROTOCOL.md").matchAll(/^## (.+)$/gmu)].map((match) =>
      match[1]!
    )
    const cited = sources.filter((path) => /\.[jt]s$/u.test(path)).flatMap((path) =>
      [
        ...read(path).replaceAll(/\n\s*(?:\*|\/\/)\s*/gu, " ")
          .matchAll(/(?<!core\/)PROTOCOL\.md(?: "([^"]*)")?|(?<!RFC \d+ )§/gu)
      ]
        .map(([whole, section = whole]) => ({ path, section }))
    ).filter(({ path }) => path !== "test/packaging/documents.test.ts")
    assert.deepStrictEqual(cited.filter(({ section }) => !sections.includes(section)), [])
    assert.isAbove(cited.length, 20)
  })

  it("list exports that exist, and no former names", async () => {
    const laws = await import("../laws/mod.ts")
    assert.includeMembers(
      Object.keys(laws),
      [...firstCells("test/laws/README.md", "Laws")]
    )
    const rows = [
      ...read("app/packaging/CHANGELOG.md").matchAll(/^\| `(\.[\w/]*)` \| (.+) \| (.+) \|$/gmu)
    ]
    assert.isAbove(rows.length, 8)
    for (const [, door, before, now] of rows) {
      const file = Object.fromEntries(doors)[door!]!["rollup-node-source"]
      const exported = Object.keys(await import(pathToFileURL(join(root, file)).href) as object)
      const code = globSync(`${door === "." ? "./core" : dirname(file)}/**/*.ts`, { cwd: root })
        .map((path) => readFileSync(join(root, path), "utf8")).join("\n")
      const named = (cell: string) =>
        [...cell.matchAll(/`([^`]+)`/gu)].map((match) => match[1]!.split(".").at(-1)!)
      for (const name of named(now!)) assert.match(code, new RegExp(`\\b${name}\\b`, "u"), door)
      for (const name of named(before!)) assert.notInclude(exported, name, door)
    }
  })

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
    // the READMEs of the published packages are read there
    const ofPackages = new Set(["app/packaging/client.md", "app/packaging/program.md"])
    assert.deepStrictEqual(
      [...reached].sort(),
      documents.filter((file) => !ofPackages.has(file)).sort()
    )
  })

  it("begin with a README of at most 200 lines", () => {
    assert.isAtMost(read("README.md").trimEnd().split("\n").length, 200)
  })
})
