import { afterAll, assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { commands } from "../../app/commands/commands.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { env } from "./_env.ts"

/*
 * Configuration of the program by its command line, its environment and a file, as a user sees it.
 */

const main = join(import.meta.dirname, "../../app/main.js")
const directory = mkdtempSync(join(tmpdir(), "program-config-"))
const running = new Set<ChildProcess>()
afterAll(() => {
  for (const child of running) child.kill("SIGKILL")
  rmSync(directory, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** Starts the program and collects its output. */
const start = (words: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}, file = main) => {
  const child = spawn(process.execPath, [file, ...words], {
    cwd: directory,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  const output = { out: "", error: "" }
  child.stdout.on("data", (text) => void (output.out += text))
  child.stderr.on("data", (text) => void (output.error += text))
  const ended = once(child, "close").then(([code]): Ended => ({
    code: code as number | null,
    ...output
  }))
  return { child, ended, output }
}

const run = (words: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  start(words, more).ended

/** Starts a server and waits until it listens. */
const serve = async (words: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) => {
  const { child, ended, output } = start(["serve", "--memory", "--empty", ...words], {
    PORT: "0",
    ...more
  })
  while (!output.out.includes("Listening on")) {
    const done = await Promise.race([ended, once(child.stdout, "data").then(() => undefined)])
    assert.isUndefined(done, done?.error)
  }
  return { child, ended, url: /Listening on (http:\/\/[^\s",]+)/u.exec(output.out)![1]! }
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
    copyFileSync(main, installed)
    writeFileSync(join(directory, "package.json"), '{ "type": "module" }')
    for (
      const [file, advice] of [
        [main, "run it with node_modules/.bin/node, which npm ci installs"],
        [installed, "install one of these"]
      ] as const
    ) {
      const { code, error, out } = await start(["--version"], { NODE_OPTIONS }, file).ended
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
    const { child, ended, url } = await serve(["--url-bytes-max", "400"], {
      CONFIG_FILE: file,
      ROLLUP_NODE_BODY_BYTES_MAX: "3000"
    })
    const status = async (path: string, body?: string) => {
      const response = await fetch(
        url + path,
        body === undefined
          ? {}
          : { method: "POST", body, headers: { "content-type": "application/json" } }
      )
      return [response.status, await response.text()] as const
    }
    assert.strictEqual((await status("/before/state"))[0], 200)
    assert.strictEqual((await status("/state"))[0], 404)
    assert.include((await status("/before/openapi.json"))[1], "xy:")
    assert.deepStrictEqual([
      (await status(`/before/state?${"x".repeat(350)}`))[0],
      (await status(`/before/state?${"x".repeat(400)}`))[0]
    ], [400, 414])
    assert.deepStrictEqual([
      (await status("/before/transactions-pool", " ".repeat(2500)))[0],
      (await status("/before/transactions-pool", " ".repeat(3001)))[0]
    ], [400, 413])
    child.kill("SIGTERM")
    const { code, error, out } = await ended
    assert.strictEqual(code, 0, error)
    assert.match(out, /^\[.*\] INFO .*Listening on/mu)
  })

  it("exits at once after a second signal, and with 3 if its port is in use", async () => {
    const other = createServer()
    other.listen(0, "127.0.0.1")
    await once(other, "listening")
    const { port } = other.address() as { readonly port: number }
    const taken = await run([
      "serve",
      "--memory",
      "--empty",
      "--port",
      String(port),
      "--admin-port",
      "off"
    ])
    other.close()
    assert.strictEqual(taken.code, 3, taken.error)
    assert.match(
      taken.error,
      new RegExp(
        `^Port ${port} of 127\\.0\\.0\\.1 cannot be listened on: .*; choose another one with --port\n$`,
        "u"
      )
    )

    // an answer that never ends keeps the server alive
    const { child, ended, url } = await serve(["--shutdown-timeout-ms", "3600000"])
    const { hostname, port: served } = new URL(url)
    const socket = connect(Number(served), hostname)
    socket.on("error", () => {})
    socket.write(
      "POST /transactions-pool HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"
    )
    // the next one is answered behind it
    await (await fetch(`${url}/state`)).text()
    child.kill("SIGTERM")
    // it accepts no new connections
    for (let open = true; open;) {
      open = await fetch(`${url}/state`).then(
        (response) => response.text().then(() => true),
        () => false
      )
    }
    assert.isNull(child.exitCode)
    child.kill("SIGINT")
    assert.strictEqual((await ended).code, 130)
    socket.destroy()
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
    assert.deepStrictEqual(await complete("openapi", ""), ["later", "earlier", "v1"])
    assert.deepStrictEqual((await run(["completions", "csh"])).code, 2)
    for (const shell of ["bash", "zsh", "fish"]) {
      const { out } = await run(["completions", shell])
      assert.match(out, new RegExp(`^# +rollup-node completions ${shell} >`, "mu"))
      for (const { name } of commands) assert.include(out, name.split(" ").at(-1)!)
      if (shell !== "bash") assert.include(out, "config check, config print")
    }
  })

  it("reports all invalid settings, exits with 2, and starts nothing", async () => {
    const [wrong, unknown] = await Promise.all([
      run(["serve", "--prot", "1", "--data", "made"], { PORT: "x", ROLLUP_NODE_PAEC: "1" }),
      run(["srve"])
    ])
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
    assert.deepStrictEqual([unknown.code, unknown.error], [
      2,
      '"srve": The command is unknown: did you mean serve?\n'
    ])
  })

  it("suggests a command or flag for a misspelt one, wherever it is", async () => {
    const cases = [
      ["help srve", '"srve": The command is unknown: did you mean serve?'],
      ["srve --help", '"srve": The command is unknown: did you mean serve?'],
      ["config chek", '"config chek": The command is unknown: did you mean config check?'],
      ["config", '"config": Another word is missing: expected config check or config print'],
      ["--hlep", "--hlep: The flag is unknown: did you mean --help?"],
      ["--port 1", "--port: A command is missing before it: did you mean serve --port?"]
    ] as const
    const ended = await Promise.all(cases.map(([words]) => run(words.split(" "))))
    for (const [i, [words, expected]] of cases.entries()) {
      assert.deepStrictEqual(ended[i], { code: 2, out: "", error: `${expected}\n` }, words)
    }
  })

  it("prints its configuration as a valid file, without the secrets", async () => {
    const url = "postgresql://somebody:hunter2@localhost/rollup"
    const printed = await run(["config", "print", "--port", "9", "--database", url, "--simulate"])
    assert.strictEqual(printed.code, 0, printed.error)
    assert.notInclude(printed.out, "hunter2")
    assert.match(printed.out, /^# url is set, and secret {2}# --database$/mu)
    writeFileSync(join(directory, "printed.toml"), printed.out)
    const [again, checked] = await Promise.all([
      run(["config", "print", "--config", "printed.toml"], { DATABASE_URL: url }),
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
