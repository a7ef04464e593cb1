import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { commands } from "../../app/commands/commands.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { revisions } from "../../core/contract/mod.ts"
import { killAll, postJson, program, serveWith, start, type StartOptions } from "./_program.ts"

/*
 * Configuration of the program by its command line, its environment and a file, as a user sees it.
 */

const directory = mkdtempSync(join(tmpdir(), "program-config-"))
afterAll(() => {
  killAll()
  rmSync(directory, { recursive: true, force: true })
})

/** Runs the program to its end; returns its exit code and its two streams. */
const run = async (words: ReadonlyArray<string>, options: StartOptions = {}) => {
  const { child, ended, errors, output } = start(words, { cwd: directory, ...options })
  let out = ""
  child.stdout!.on("data", (chunk) => out += chunk)
  const [code] = await ended
  return { code, out, error: errors(), output: output() }
}

describe("the program and its configuration", () => {
  it("refuses a Node below the lowest version that `engines` admits, in a checkout and installed", async () => {
    const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
    const { engines } = JSON.parse(manifest) as { readonly engines: { readonly node: string } }
    const [lowest, ...majors] = engines.node.split(" || ").map((range) =>
      range.replace(/^\^/u, "").replace(/(?:\.0)+$/u, "")
    )
    const supported = `${[lowest, ...majors].join(", ")} or a later release of these majors`
    const [major, minor] = lowest!.split(".").map(Number) as [number, number]
    const old = `${major}.${minor - 1}.9`
    const versions = `{ value: { ...process.versions, node: '${old}' } }`
    const older = encodeURIComponent(`Object.defineProperty(process, 'versions', ${versions})`)
    const NODE_OPTIONS = `--import data:text/javascript,${older}`
    // the bundle of an installed package is another file
    const installed = join(directory, "dist/program/main.js")
    mkdirSync(dirname(installed), { recursive: true })
    copyFileSync(program, installed)
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }')
    for (
      const [file, advice] of [
        [program, "run it with node_modules/.bin/node, which npm ci installs"],
        [installed, "install one of these"]
      ] as const
    ) {
      const { code, error, out } = await run(["--version"], {
        command: [process.execPath, file],
        environment: { NODE_OPTIONS }
      })
      assert.deepStrictEqual({ code, out }, { code: 1, out: "" })
      assert.strictEqual(
        error,
        `Node ${old} is too old: rollup-node needs Node ${supported}; ${advice}\n`
      )
    }
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    assert.include(readme.replaceAll(/\s+/gu, " "), `Node ${supported}`)
  })

  it("uses the settings of its file, its environment and its flags, and exits with 0 when it is stopped", async () => {
    const file = join(directory, "rollup.toml")
    writeFileSync(
      file,
      `[server]\nport = 1\nearlier_path = "/before"\nlater_path = "off"\n[limits]\nbody_bytes_max = 2000\nurl_bytes_max = 300\n[network]\nprefix = "xy"\n[log]\nformat = "text"\n`
    )
    const { ended, output, signal, url } = await serveWith(
      ["--memory", "--empty", "--url-bytes-max", "400"],
      { environment: { CONFIG_FILE: file, ROLLUP_NODE_BODY_BYTES_MAX: "3000" } }
    )
    const read = (path: string) => fetch(url + path)
    const post = (bytes: number) => postJson(`${url}/before/transactions-pool`, " ".repeat(bytes))
    const answers = [
      read("/before/state"),
      read("/state"),
      read(`/before/state?${"x".repeat(350)}`),
      read(`/before/state?${"x".repeat(400)}`),
      post(2500),
      post(3001)
    ]
    assert.deepStrictEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [200, 404, 400, 414, 400, 413]
    )
    assert.include(await (await read("/before/openapi.json")).text(), "xy:")
    signal("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null], output())
    assert.match(output(), /^\[.*\] INFO .*Listening on/mu)
  })

  it("completes commands, flags, files and values in bash", async () => {
    const { code, out } = await run(["completions", "bash"])
    assert.strictEqual(code, 0)
    writeFileSync(join(directory, "completions.bash"), out)
    const complete = async (...words: ReadonlyArray<string>) => {
      const script = [
        "source completions.bash",
        `COMP_WORDS=("$@")`,
        "COMP_CWORD=$(($# - 1))",
        `COMP_LINE="$*"`,
        "COMP_POINT=${#COMP_LINE}",
        `_rollup_node "$1" "\${@: -1}" "\${@: -2:1}"`,
        `printf '%s\\n' "\${COMPREPLY[@]}"`
      ].join("\n")
      const bash = spawn("bash", ["-c", script, "bash", "rollup-node", ...words], {
        cwd: directory,
        stdio: ["ignore", "pipe", "inherit"]
      })
      return (await text(bash.stdout)).trim().split("\n")
    }
    assert.deepStrictEqual(await complete(""), [
      ...new Set(commands.map(({ name }) => name.split(" ")[0]!))
    ])
    assert.deepStrictEqual(await complete("config", ""), ["check", "print"])
    assert.deepStrictEqual(await complete("serve", "--mem"), ["--memory"])
    assert.deepStrictEqual(await complete("serve", "--log-level", ""), [
      "debug",
      "info",
      "warn",
      "error"
    ])
    assert.deepStrictEqual(await complete("serve", "--config", "compl"), ["completions.bash"])
    assert.deepStrictEqual(await complete("openapi", ""), Object.keys(revisions))
    assert.deepStrictEqual((await run(["completions", "csh"])).code, 2)
    for (const shell of ["bash", "zsh", "fish"]) {
      const { out } = await run(["completions", shell])
      assert.match(out, new RegExp(`^# +rollup-node completions ${shell} >`, "mu"))
      for (const { name } of commands) assert.include(out, name.split(" ").at(-1)!)
      if (shell !== "bash") assert.include(out, "config check, config print")
    }
  })

  it("reports all invalid settings, exits with 2, and starts nothing", async () => {
    const wrong = await run(["serve", "--prot", "1", "--data", "made"], {
      environment: { PORT: "x", ROLLUP_NODE_PAEC: "1" }
    })
    assert.strictEqual(wrong.code, 2)
    assert.strictEqual(wrong.out, "")
    assert.strictEqual(
      wrong.error,
      [
        "3 problems have to be corrected:",
        "  --prot: The flag is unknown: did you mean --port?",
        "  ROLLUP_NODE_PAEC: The variable is unknown: did you mean ROLLUP_NODE_PACE?",
        '  PORT: "x" is invalid: expected a whole number from 0 to 65535, such as 8080',
        ""
      ].join("\n")
    )
    assert.isFalse(existsSync(join(directory, "made")))
  })

  it("prints its configuration as a valid file, without the secrets", async () => {
    const url = "postgresql://somebody:hunter2@localhost/rollup"
    const printed = await run(["config", "print", "--port", "9", "--database", url, "--simulate"])
    assert.strictEqual(printed.code, 0, printed.error)
    assert.notInclude(printed.out, "hunter2")
    assert.match(printed.out, /^# url is set, and secret {2}# --database$/mu)
    writeFileSync(join(directory, "printed.toml"), printed.out)
    const [again, checked] = await Promise.all([
      run(["config", "print", "--config", "printed.toml"], { environment: { DATABASE_URL: url } }),
      run(["config", "check", "--config", "printed.toml"])
    ])
    assert.match(again.out, /^port = 9 {2}# printed\.toml, line 2: server\.port$/mu)
    assert.match(
      checked.out,
      /^The configuration is valid; settings that are set: 2, at their default: \d+$/mu
    )
    assert.strictEqual(checked.code, 0)
  })

  it("writes data to the standard output and messages to the standard error", async () => {
    const [feed, document] = await Promise.all([
      run(["simulate", "--transactions", "40", "--no-true-roots"]),
      run(["openapi", "earlier", "--prefix", "xy", "--out", "earlier.json"])
    ])
    assert.strictEqual(feed.code, 0, feed.error)
    assert.strictEqual(
      feed.out,
      [...writeFeed(simulate({ seed: "1", placeholderRoots: true }), 40)].join("")
    )
    assert.strictEqual(document.code, 0, document.error)
    const { info, servers } = JSON.parse(readFileSync(join(directory, "earlier.json"), "utf8")) as {
      readonly info: { readonly version: string }
      readonly servers: ReadonlyArray<unknown>
    }
    assert.strictEqual(info.version, "earlier")
    assert.deepStrictEqual(servers, [{ url: "/earlier", description: "Revision earlier" }])
  })
})
