import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { arch, platform, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { writeFeedLine } from "../../../core/mod.ts"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { runInChromium } from "./_chromium.ts"

/*
 * Packs the package, installs the tarball into a project without TypeScript, and runs one scenario
 * there under Node, Deno, Bun and in Chromium. All must give the same result. The program of the
 * package serves the same network beside them.
 */

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../../..")
const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26
  })

/** Starts the program of the installed package; returns its URL when it has followed the feed. */
const serve = async (
  folder: string,
  lastBlock: bigint
): Promise<{ readonly server: ChildProcess; readonly url: string }> => {
  const server = spawn(process.execPath, [
    "node_modules/.bin/rollup-node",
    "serve",
    "--memory",
    "--feed",
    "feed.ndjson",
    "--port",
    "0"
  ], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
  for await (const line of createInterface(server.stdout!)) {
    const url = /Listening on (http:\/\/[\w.:[\]]+)/u.exec(line)?.[1]
    if (url === undefined) continue
    server.stdout!.resume()
    while (
      ((await (await fetch(`${url}/state`)).json()) as State).network.lastSynchedBlock < lastBlock
    ) await new Promise((resolve) => setTimeout(resolve, 50))
    return { server, url }
  }
  throw new Error(`The program ended with ${server.exitCode}, expected it to serve`)
}
interface State {
  readonly network: { readonly lastSynchedBlock: number }
}

const folder = mkdtempSync(join(tmpdir(), "rollup-node-runtimes-"))
let server: ChildProcess | undefined
try {
  // no lock file: the versions are exact, and a lock made on one platform lacks the binaries of the
  // others
  run("npm", ["install", "--no-package-lock", "--ignore-scripts"], here)
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], root)
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"))!
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run("npm", ["install", "--ignore-scripts", `./${tarball}`], folder)
  for (const file of ["scenario.js", "command.js"]) cpSync(join(here, file), join(folder, file))
  const simulation = simulate({ seed: "runtimes", users: 30 })
  const records = [
    { kind: "genesis", genesis: simulation.genesis } as const,
    ...initialHistory(simulation, 400)
  ]
  writeFileSync(join(folder, "feed.ndjson"), records.map(writeFeedLine).join("\n"))

  const last = records.findLast((record) => record.kind === "block" || record.kind === "rollBack")!
  const served = await serve(
    folder,
    last.kind === "block" ? last.block.number : last.kind === "rollBack" ? last.toBlock : 0n
  )
  const { url } = served
  server = served.server

  const deno = join(here, `node_modules/@deno/${platform()}-${arch()}-glibc/deno`)
  const bun = join(here, `node_modules/@oven/bun-${platform()}-${arch()}/bin/bun`)
  const expected = run(process.execPath, ["command.js", url], folder).trim()
  console.log(expected)
  const others: ReadonlyArray<readonly [string, () => string | Promise<string>]> = [
    [
      "Deno",
      () =>
        run(deno, [
          "run",
          "--allow-read",
          `--allow-net=${new URL(url).hostname}`,
          "--no-lock",
          "--node-modules-dir=manual",
          "command.js",
          url
        ], folder)
    ],
    ["Bun", () => run(bun, ["command.js", url], folder)],
    [
      "Chromium",
      () =>
        runInChromium(folder, process.env.CHROMIUM ?? "chromium", [
          "rollup-node-api",
          "effect",
          "@noble/hashes",
          "@noble/curves"
        ], url)
    ]
  ]
  let failed = 0
  for (const [name, answers] of others) {
    const output = (await answers()).trim()
    if (output !== expected) failed++
    console.log(
      output === expected ? `${name} gives the same result as Node` : `${name} differs:\n${output}`
    )
  }
  console.log(`runtimes: ${others.length + 1 - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  if (server !== undefined && server.exitCode === null) {
    server.kill()
    await once(server, "exit")
  }
  rmSync(folder, { recursive: true, force: true })
}
