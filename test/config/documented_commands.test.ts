import { assert, describe, it } from "@effect/vitest"
import { existsSync, writeFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { commands } from "../../app/commands/commands.ts"
import { formatProblems, readInvocation } from "../../app/config/mod.ts"
import { read, readmes } from "../packaging/_project.ts"

/* The command lines of the documents and of the help. */

interface CommandLine {
  readonly text: string
  readonly words: ReadonlyArray<string>
  readonly environment: { readonly [name: string]: string }
}

/** Reads a command line up to a comment or a redirection; without variables of the shell. */
const parsed = (line: string): CommandLine => {
  const text = line.replace(/^source <\((.*)\)/u, "$1").split(/ # | [<>|]/u)[0]!.trim()
  const all = (text.match(/(?:"[^"]*"|\S)+/gu) ?? []).map((word) => word.replaceAll('"', ""))
  const first = all.findIndex((word) => !/^[A-Z_]+=/u.test(word))
  const words = all.slice(first)
  return {
    text,
    words: words[0] === "npm" ? ["serve", ...words.slice(3)] : words.slice(1),
    environment: Object.fromEntries(all.slice(0, first).map((word) => word.split("=", 2)))
  }
}

const lines = [...readmes, ".github/SECURITY.md"].flatMap((file) =>
  [
    ...read(file).matchAll(
      /^ {4}((?:[A-Z_]+=\S+ )*(?:npm start --|rollup-node|source <\(rollup-node) .*)$/gmu
    )
  ].map((match) => parsed(match[1]!))
)
const examples = commands.flatMap(({ examples }) =>
  examples.map(({ words }) => parsed(`rollup-node ${words}`))
)

describe("the documented command lines", () => {
  it("are accepted by the program", () => {
    assert.isAbove(lines.length, 15)
    const folder = mkdtempSync(join(tmpdir(), "commands-"))
    const file = join(folder, "rollup.toml")
    writeFileSync(file, "")
    try {
      for (const { environment, text, words } of [...lines, ...examples]) {
        if (words.includes("--help")) continue
        const command = commands.find(({ name }) => `${words.join(" ")} `.startsWith(`${name} `))
        assert.isDefined(command, text)
        const rest = words.slice(command!.name.split(" ").length).map((word) =>
          word === "rollup.toml" ? file : word
        )
        // the examples of commands that need a database name the variable in their description
        const database = "dryRun" in command!.options || command!.name === "ingest"
          ? { DATABASE_URL: "postgresql://user:password@localhost:5432/rollup" }
          : {}
        const { problems } = readInvocation(
          command!,
          rest,
          rest.includes("--database") ? environment : { ...database, ...environment },
          commands
        )
        assert.deepStrictEqual(formatProblems(problems), formatProblems([]), text)
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
    assert.isFalse(existsSync(file))
  })

  it("name a token of 16 characters or more", () => {
    const serve = commands.find(({ name }) => name === "serve")!
    const problemsOf = (token: string) =>
      formatProblems(readInvocation(serve, ["--admin-token", token], {}, commands).problems)
    assert.include(problemsOf("x".repeat(15)), "a token of 16 characters or more without spaces")
    assert.strictEqual(problemsOf("x".repeat(16)), formatProblems([]))
  })
})
