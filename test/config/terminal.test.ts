import { assert, describe, it, vi } from "@effect/vitest"
import { Struct } from "effect"
import { Writable } from "node:stream"
import { WriteStream } from "node:tty"
import { stripVTControlCharacters } from "node:util"
import { commands } from "../../app/commands/commands.ts"
import {
  commandHelp,
  formatOf,
  formatProblems,
  programHelp,
  readInvocation
} from "../../app/config/mod.ts"
import { exitCodes } from "../../app/process/exit_codes.ts"
import { runProgram } from "../../app/program.ts"

/** Returns a stream as `process.stdout` is on a terminal, or elsewhere. */
const stream = (columns?: number) =>
  Object.assign(
    new Writable(),
    columns === undefined ? {} : { columns, isTTY: true, getColorDepth: () => 4 }
  ) as never as NodeJS.WriteStream

const helps = (to: NodeJS.WriteStream): ReadonlyArray<string> => [
  programHelp(commands, Object.values(exitCodes), formatOf(to)),
  ...commands.map((command) => commandHelp(command, formatOf(to)))
]

describe("the output on a terminal", () => {
  it("has no colours if NO_COLOR is set", () => {
    const before = { ...process.env }
    // without the other variables that Node reads, such as CI
    const terminal = Object.assign(stream(80), {
      getColorDepth: () =>
        WriteStream.prototype.getColorDepth(
          Struct.pick({ ...process.env, TERM: "xterm" } as NodeJS.ProcessEnv, ["NO_COLOR", "TERM"])
        )
    })
    const styled = () => formatOf(terminal).style("red", "text")
    delete process.env.NO_COLOR
    delete process.env.FORCE_COLOR
    try {
      assert.strictEqual(styled(), "\u001b[31mtext\u001b[39m")
      process.env.NO_COLOR = "1"
      assert.strictEqual(styled(), "text")
    } finally {
      delete process.env.NO_COLOR
      Object.assign(process.env, before)
    }
  })
})

describe("the help on a terminal", () => {
  it("is wrapped to its width between words, without a loss", () => {
    for (const columns of [40, 60, 80, 133]) {
      const wide = helps(stream(1_000_000))
      for (const [i, help] of helps(stream(columns)).entries()) {
        const plain = stripVTControlCharacters(help)
        // a long word is not broken
        for (const line of plain.split("\n").filter((each) => /\S +[^\s\\]/u.test(each))) {
          assert.isAtMost(line.length, columns, line)
        }
        // a backslash continues a long example, so that it can be copied into a shell
        const words = (text: string) =>
          stripVTControlCharacters(text).replaceAll(" \\\n", " ").split(/\s+/u)
        assert.deepStrictEqual(words(plain), words(wide[i]!))
      }
    }
  })

  it("has colours, and 80 columns without colours elsewhere", () => {
    for (const help of helps(stream(80))) assert.include(help, "\u001b[1mUsage\u001b[22m")
    const plain = helps(stream())
    for (const help of plain) assert.notInclude(help, "\u001b")
    assert.deepStrictEqual(plain, helps(stream(80)).map(stripVTControlCharacters))
  })

  it("has the width in COLUMNS if the output is not a terminal", () => {
    const before = process.env.COLUMNS
    process.env.COLUMNS = "60"
    try {
      assert.strictEqual(formatOf(stream()).width, 60)
      assert.strictEqual(formatOf(stream(100)).width, 100)
      process.env.COLUMNS = "wide"
      assert.strictEqual(formatOf(stream()).width, 80)
    } finally {
      delete process.env.COLUMNS
      if (before !== undefined) process.env.COLUMNS = before
    }
  })

  it("has the commands in groups, and the flags of a command before the common ones", () => {
    const help = programHelp(commands, Object.values(exitCodes))
    const headings = [...help.matchAll(/^[A-Z][\w, ]+$/gmu)].map(([heading]) => heading)
    assert.deepStrictEqual(headings, [
      "Run a server",
      "Load, move and verify data",
      "Use a server",
      "Examples",
      "Exit codes"
    ])
    const verify = commandHelp(commands.find(({ name }) => name === "verify")!)
    assert.isBelow(verify.indexOf("Flags of this command"), verify.indexOf("Data storage"))
  })
})

describe("a misspelt name", () => {
  const serve = commands.find(({ name }) => name === "serve")!
  const read = (environment: { readonly [name: string]: string }) => {
    const { problems, warnings } = readInvocation(serve, [], environment, commands)
    return { problems: formatProblems(problems), warnings: formatProblems(warnings) }
  }

  it("of a command or flag gets a suggestion, wherever it is", () => {
    const cases = [
      ["srve", '"srve": The command is unknown: did you mean serve?'],
      ["help srve", '"srve": The command is unknown: did you mean serve?'],
      ["srve --help", '"srve": The command is unknown: did you mean serve?'],
      ["config chek", '"config chek": The command is unknown: did you mean config check?'],
      ["config", '"config": Another word is missing: expected config check or config print'],
      ["--hlep", "--hlep: The flag is unknown: did you mean --help?"],
      ["--port 1", "--port: A command is missing before it: did you mean serve --port?"]
    ] as const
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    try {
      for (const [words, expected] of cases) {
        runProgram(words.split(" "), () => undefined)
        assert.deepStrictEqual([write.mock.lastCall?.[0], process.exitCode], [`${expected}\n`, 2])
        process.exitCode = 0
      }
    } finally {
      write.mockRestore()
    }
  })

  it("is refused if it is a variable with a misspelt prefix, or in small letters", () => {
    for (const name of ["ROLUP_NODE_PACE", "ROLLUP_NODEPACE", "rollup_node_pace"]) {
      assert.strictEqual(
        read({ [name]: "3" }).problems,
        `${name}: The variable is unknown: did you mean ROLLUP_NODE_PACE?`
      )
    }
  })

  it("is recognized in a variable that has no prefix", () => {
    for (
      const [name, nearest] of [
        ["ROLLUP_NODE_PROT", "PORT"],
        ["ROLLUP_NODE_PORT", "PORT"],
        ["ROLUP_NODE_PORT", "PORT"],
        ["ROLLUP_NODE_HOTS", "HOST"],
        ["ROLLUP_NODE_WORKRES", "WORKERS"],
        ["ROLLUP_NODE_DATABSE_URL", "DATABASE_URL"],
        ["ROLLUP_NODE_ADMN_PORT", "ROLLUP_NODE_ADMIN_PORT"]
      ] as const
    ) {
      assert.strictEqual(
        read({ [name]: "3" }).problems,
        `${name}: The variable is unknown: did you mean ${nearest}?`
      )
    }
  })

  it("is a warning if another program may own the variable", () => {
    assert.strictEqual(
      read({ DATABSE_URL: "postgresql://a/b" }).warnings,
      "DATABSE_URL: The variable has no effect, since it is unknown: did you mean DATABASE_URL?"
    )
    for (
      const environment of [
        { DATABASE_URI: "x", DATABASE_URL: "postgresql://a/b", ROLLUP_NODE_SIMULATE: "true" },
        { PROT: "1", POST: "1", HOSTS: "x", DATA_DIRS: "" },
        { ROLLUP_WATCH: "true", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a" },
        { ROLLUP_NODE_PORT_8080_TCP: "tcp://10.0.0.1:8080", DATABSE_URL: "" }
      ] as ReadonlyArray<{ readonly [name: string]: string }>
    ) {
      assert.strictEqual(read(environment).warnings, read({}).warnings, JSON.stringify(environment))
      assert.notInclude(read(environment).problems, "unknown", JSON.stringify(environment))
    }
  })

  it("is red on a terminal that shows colours", () => {
    const problems = [{ source: "--prot", message: "The flag is unknown" }]
    assert.strictEqual(
      formatProblems(problems, formatOf(stream(80))),
      "\u001b[31m--prot\u001b[39m: The flag is unknown"
    )
    assert.strictEqual(formatProblems(problems, formatOf(stream())), "--prot: The flag is unknown")
  })
})
